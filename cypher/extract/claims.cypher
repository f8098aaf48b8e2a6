// Creates claims, each linked to its chunk.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.chunk})
MERGE (claim:Claim:KgBuild {id: row.id})
SET claim = row.properties, claim.ref = row.ref
MERGE (claim)-[:FROM]->(chunk)
