// Removes the claims of chunks, and marks the entities of these claims.
UNWIND $chunks AS chunk
MATCH (:Chunk {id: chunk})<-[:FROM]-(claim:Claim)
OPTIONAL MATCH (claim)-[:SUBJECT|OBJECT]->(entity:Entity)
SET entity.stale = true
DETACH DELETE claim
