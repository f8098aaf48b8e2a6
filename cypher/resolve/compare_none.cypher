// Removes the marks of all entities that wait for a model's comparison.
MATCH (entity:Entity:KgBuild) WHERE entity.uncompared = true
REMOVE entity.uncompared, entity.compare_error
