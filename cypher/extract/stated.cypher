// Creates the statements of chunks about pairs, in the direction that the chunk gives.
UNWIND $rows AS row
MATCH (source:Entity {id: row.source}), (target:Entity {id: row.target})
MERGE (source)-[stated:STATED {id: row.id}]->(target)
SET stated += coalesce(row.held, {}), stated.chunk = row.chunk, stated.pair = row.pair,
    stated.descriptions = row.descriptions, stated.strengths = row.strengths,
    stated.predicates = row.predicates
