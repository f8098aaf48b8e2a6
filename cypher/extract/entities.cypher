// Entities that chunks name, marked: what is derived from their mentions is out of date.
UNWIND $rows AS row
MERGE (entity:Entity {id: row.id})
  ON CREATE SET entity.ref = row.ref, entity.name = row.name
SET entity.stale = true
