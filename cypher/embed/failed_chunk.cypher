// Saves why chunks could not be embedded; they stay marked.
UNWIND $rows AS row
MATCH (x:Chunk {id: row.id})
SET x.embedding_error = row.reason
