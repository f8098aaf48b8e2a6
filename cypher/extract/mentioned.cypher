// Reads the ids of the entities that chunks mention.
UNWIND $chunks AS id
MATCH (:Chunk {id: id})-[:MENTIONS]->(entity:Entity)
RETURN id AS chunk, collect(entity.id) AS entities
