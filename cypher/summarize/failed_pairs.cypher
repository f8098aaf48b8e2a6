// What could not be described, and why; the mark stays.
UNWIND $rows AS row
MATCH ()-[x:RELATED {id: row.id}]->()
SET x.description_error = row.reason
