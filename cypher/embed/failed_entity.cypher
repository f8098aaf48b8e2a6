// Saves why entities could not be embedded; they stay marked.
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
SET x.embedding_error = row.reason
