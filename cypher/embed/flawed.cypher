// Saves why vectors can't be indexed, and removes the mark of their nodes.
UNWIND $rows AS row
MATCH (x:Chunk|Community|Entity {id: row.id})
SET x.embedding_hash = row.hash, x.embedding_flaw = row.reason
REMOVE x.unembedded, x.embedding_error, x.embedding
