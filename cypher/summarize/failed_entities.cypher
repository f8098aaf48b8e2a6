// Saves why entities could not be described; they stay marked.
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
SET x.description_error = row.reason
