// Saves why communities could not be embedded; they stay marked.
UNWIND $rows AS row
MATCH (x:Community {id: row.id})
SET x.embedding_error = row.reason
