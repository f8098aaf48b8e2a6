// Removes the mentions that come from claims alone; marks their entities and returns their ids.
UNWIND $chunks AS chunk
MATCH (:Chunk {id: chunk})-[mention:MENTIONS]->(entity:Entity:KgBuild) WHERE size(mention.names) = 0
SET entity.stale = true
DELETE mention
RETURN collect(DISTINCT entity.id) AS ids
