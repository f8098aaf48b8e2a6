// Links findings to the chunks that they cite.
UNWIND $rows AS row
MATCH (finding:Finding {id: row.finding}), (cited:Chunk {id: row.cited})
CREATE (finding)-[:CITES]->(cited)
