// Saves vectors of communities as 32-bit numbers, with the hashes of their texts.
UNWIND $rows AS row
MATCH (x:Community {id: row.id})
SET x.embedding_hash = row.hash
REMOVE x.unembedded, x.embedding_error, x.embedding_flaw
WITH x, row
CALL db.create.setNodeVectorProperty(x, 'embedding', row.vector)
