// Saves names, types, degrees, keys and properties, and marks the entities for the stages resolve and communities
// and for new descriptions, and those with a new type for a new label. If an entity has a new name, its pairs that
// a model described by the old name are also marked. Communities that contain it are marked for new
// reports. A change of a pair or a claim also marks its entities.
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
WITH entity, row, entity.name <> row.name AS renamed, entity.type = row.type AS labelled
SET entity += coalesce(row.properties, {}), entity.name = row.name, entity.type = row.type, entity.degree = row.degree,
    entity.key = row.key, entity.first_word = row.first_word, entity.last_word = row.last_word,
    entity.initials = row.initials, entity.aliases = row.aliases,
    entity.undescribed = true, entity.unresolved = true, entity.uncompared = true, entity.unplaced = true,
    entity.unlabelled = CASE WHEN labelled THEN entity.unlabelled ELSE true END
REMOVE entity.stale
WITH entity, renamed
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (community:Community:KgBuild)
  SET community.stale = true
}
WITH entity WHERE renamed
SET entity.unembedded = true
WITH entity
MATCH (entity)-[pair:RELATED]-(:Entity:KgBuild) WHERE pair.description_with IS NOT NULL
SET pair.undescribed = true
