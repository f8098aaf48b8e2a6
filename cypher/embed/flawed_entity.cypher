// Saves why the vectors of entities can't be indexed, and removes the mark.
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
SET x.embedding_hash = row.hash, x.embedding_flaw = row.reason
REMOVE x.unembedded, x.embedding_error, x.embedding
