// Reads the ids of all entities that wait for a model's comparison.
MATCH (entity:Entity:KgBuild) WHERE entity.uncompared = true
RETURN entity.id AS id
