// Links findings to what they cite.
UNWIND $rows AS row
MATCH (finding:Finding {id: row.finding}), (cited:Chunk|Claim|Community|Entity {id: row.cited})
CREATE (finding)-[:CITES]->(cited)
