// Saves why the names of entities could not be compared; they stay marked.
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
SET entity.uncompared = true, entity.compare_error = row.reason
