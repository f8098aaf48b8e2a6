// Links findings to the communities that they cite.
UNWIND $rows AS row
MATCH (finding:Finding {id: row.finding}), (cited:Community {id: row.cited})
CREATE (finding)-[:CITES]->(cited)
