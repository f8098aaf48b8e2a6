// Reads the entities and pairs whose descriptions failed, with the reasons.
// `id > ''` is always true; the index holds both properties, so it serves only a search by both.
MATCH (entity:Entity:KgBuild)
WHERE entity.undescribed = true AND entity.id > '' AND entity.description_error IS NOT NULL
RETURN entity.name AS name, entity.description_error AS reason
UNION ALL
MATCH (a:Entity:KgBuild)-[pair:RELATED]->(b:Entity)
WHERE pair.undescribed = true AND pair.id > '' AND pair.description_error IS NOT NULL
RETURN a.name + ' and ' + b.name AS name, pair.description_error AS reason
