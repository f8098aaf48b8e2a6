// Saves why nodes could not be embedded; they stay marked.
UNWIND $rows AS row
MATCH (x:Chunk|Community|Entity {id: row.id})
SET x.embedding_error = row.reason
