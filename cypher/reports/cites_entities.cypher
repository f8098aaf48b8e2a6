// Links findings to the entities that they cite.
UNWIND $rows AS row
MATCH (finding:Finding {id: row.finding}), (cited:Entity {id: row.cited})
CREATE (finding)-[:CITES]->(cited)
