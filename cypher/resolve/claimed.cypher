// Reads the links of claims to entities, with the spelling and the chunk.
UNWIND $entities AS id
MATCH (chunk:Chunk:KgBuild)<-[:FROM]-(claim:Claim:KgBuild)-[about:SUBJECT|OBJECT]->(:Entity {id: id})
RETURN claim.id AS claim, chunk.id AS chunk, type(about) AS type, id AS entity, about.name AS name
