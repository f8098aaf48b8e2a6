// Names, types and degrees as voted; descriptions are looked at next.
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
SET entity.name = row.name, entity.type = row.type, entity.degree = row.degree,
    entity.undescribed = true
REMOVE entity.stale
