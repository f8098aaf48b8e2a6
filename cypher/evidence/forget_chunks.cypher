// Removes chunks.
UNWIND $chunks AS id
MATCH (chunk:Chunk {id: id})
DETACH DELETE chunk
