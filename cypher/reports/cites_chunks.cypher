// Chunks that findings cite.
UNWIND $rows AS row
MATCH (finding:Finding {id: row.finding}), (cited:Chunk {id: row.cited})
CREATE (finding)-[:CITES]->(cited)
