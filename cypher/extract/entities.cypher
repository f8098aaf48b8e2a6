// Creates the entities that chunks mention, and marks them for the stage merge.
UNWIND $rows AS row
MERGE (entity:Entity:KgBuild {id: row.id})
  ON CREATE SET entity.ref = row.ref, entity.name = row.name
SET entity.stale = true
