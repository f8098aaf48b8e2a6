// Removes the mentions of chunks; marks their entities and returns their ids.
UNWIND $chunks AS chunk
MATCH (:Chunk {id: chunk})-[mention:MENTIONS]->(entity:Entity:KgBuild)
SET entity.stale = true
DELETE mention
RETURN collect(DISTINCT entity.id) AS ids
