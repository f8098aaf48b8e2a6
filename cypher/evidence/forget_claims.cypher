// Removes the claims of chunks, and marks the entities of these claims.
UNWIND $chunks AS chunk
MATCH (:Chunk {id: chunk})<-[:FROM]-(claim:Claim:KgBuild)
OPTIONAL MATCH (claim)-[:SUBJECT|OBJECT]->(entity:Entity:KgBuild)
SET entity.stale = true
DETACH DELETE claim
