// Reads what the removal of a document or of a chunk should have removed with it.
MATCH (chunk:Chunk:KgBuild) WHERE NOT EXISTS { (chunk)-[:PART_OF]->(:Document:KgBuild) }
RETURN 'Chunk' AS kind, chunk.id AS id
UNION ALL
MATCH (claim:Claim:KgBuild) WHERE NOT EXISTS { (claim)-[:FROM]->(:Chunk:KgBuild) }
RETURN 'Claim' AS kind, claim.id AS id
UNION ALL
MATCH (:KgBuild)-[stated:STATED]->(:KgBuild)
WHERE stated.chunk IS NOT NULL AND NOT EXISTS { (:Chunk {id: stated.chunk}) }
RETURN 'STATED' AS kind, stated.id AS id
UNION ALL
MATCH (finding:Finding:KgBuild) WHERE NOT EXISTS { (finding)<-[:HAS_FINDING]-(:Community:KgBuild) }
RETURN 'Finding' AS kind, finding.id AS id
UNION ALL
MATCH (entity:Entity:KgBuild)
WHERE NOT EXISTS { (entity)-[:MENTIONS|STATED|RELATED|SUBJECT|OBJECT]-(:KgBuild) }
RETURN 'Entity' AS kind, entity.name AS id
