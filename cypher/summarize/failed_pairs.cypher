// Saves why pairs could not be described; they stay marked.
UNWIND $rows AS row
MATCH ()-[x:RELATED {id: row.id}]->()
SET x.description_error = row.reason
