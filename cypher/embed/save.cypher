// Saves vectors as 32-bit numbers, with the hashes of their texts.
UNWIND $rows AS row
MATCH (x:Chunk|Community|Entity {id: row.id})
SET x.embedding_hash = row.hash
REMOVE x.unembedded, x.embedding_error, x.embedding_flaw
WITH x, row
CALL db.create.setNodeVectorProperty(x, 'embedding', row.vector)
