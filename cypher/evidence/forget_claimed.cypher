// Removes the mentions that only claims gave; marks the entities, and names them.
UNWIND $chunks AS chunk
MATCH (:Chunk {id: chunk})-[mention:MENTIONS]->(entity:Entity) WHERE size(mention.names) = 0
SET entity.stale = true
DELETE mention
RETURN collect(DISTINCT entity.id) AS ids
