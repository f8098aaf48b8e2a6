// Links findings to the claims that they cite.
UNWIND $rows AS row
MATCH (finding:Finding {id: row.finding}), (cited:Claim {id: row.cited})
CREATE (finding)-[:CITES]->(cited)
