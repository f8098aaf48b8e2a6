// Counts the entities and pairs that are marked for a description.
// `id > ''` is always true; the index holds both properties, so it serves only a search by both.
RETURN COUNT { MATCH (entity:Entity:KgBuild) WHERE entity.undescribed = true AND entity.id > '' }
     + COUNT { MATCH (:KgBuild)-[pair:RELATED]->(:KgBuild) WHERE pair.undescribed = true AND pair.id > '' } AS n
