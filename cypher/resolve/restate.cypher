// Creates statements that have moved. The spellings are kept where they are not the entities' own.
// A statement between two spellings of one entity has no pair.
UNWIND $rows AS row
MATCH (source:Entity {id: row.source}), (target:Entity {id: row.target})
CREATE (source)-[stated:STATED {id: row.id}]->(target)
SET stated.chunk = row.chunk, stated.pair = row.pair,
    stated.descriptions = row.descriptions, stated.strengths = row.strengths,
    stated.source_spelling = row.source_spelling, stated.target_spelling = row.target_spelling
