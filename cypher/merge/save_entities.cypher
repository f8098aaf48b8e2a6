// Names, types and degrees as voted; descriptions are looked at next, those of pairs that a model
// described by a name that an end no longer has, too. Communities that show any of it likewise:
// whatever changes a pair or a claim marks its entities.
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
WITH entity, row, entity.name <> row.name AS renamed
SET entity.name = row.name, entity.type = row.type, entity.degree = row.degree,
    entity.undescribed = true
REMOVE entity.stale
WITH entity, renamed
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->()-[:PARENT*0..]->(community:Community)
  SET community.stale = true
}
WITH entity WHERE renamed
SET entity.unembedded = true
WITH entity
MATCH (entity)-[pair:RELATED]-(:Entity) WHERE pair.description_with IS NOT NULL
SET pair.undescribed = true
