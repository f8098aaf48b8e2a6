// Reads the claims with the place of their quotation in the chunk; null where it was not found.
MATCH (claim:Claim:KgBuild)-[:FROM]->(chunk:Chunk:KgBuild)
RETURN claim.ref AS ref, claim.description AS description, claim.status AS status,
       claim.start_date AS since, claim.end_date AS until, chunk.ref AS chunk,
       claim.start AS start, claim.end AS end,
       COLLECT { MATCH (claim)-[:SUBJECT|OBJECT]->(entity:Entity:KgBuild)
                 RETURN DISTINCT entity.ref ORDER BY entity.ref } AS entities
ORDER BY ref
