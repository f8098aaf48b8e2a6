// What chunks state of pairs, as the chunk directs them.
UNWIND $rows AS row
MATCH (source:Entity {id: row.source}), (target:Entity {id: row.target})
MERGE (source)-[stated:STATED {id: row.id}]->(target)
SET stated.chunk = row.chunk, stated.pair = row.pair,
    stated.descriptions = row.descriptions, stated.strengths = row.strengths
