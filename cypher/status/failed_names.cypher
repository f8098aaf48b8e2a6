// Reads the entities whose names a model could not compare with others.
MATCH (entity:Entity:KgBuild) WHERE entity.uncompared = true AND entity.compare_error IS NOT NULL
RETURN entity.name AS name, entity.compare_error AS reason ORDER BY name
