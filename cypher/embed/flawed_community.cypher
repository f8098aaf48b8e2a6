// Communities whose text gives no vector that can be indexed, and why; it is not asked for again.
UNWIND $rows AS row
MATCH (x:Community {id: row.id})
SET x.embedding_hash = row.hash, x.embedding_flaw = row.reason
REMOVE x.unembedded, x.embedding_error, x.embedding
