// Marks entities for the stage merge.
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
SET entity.stale = true
