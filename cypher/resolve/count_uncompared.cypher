// Counts the entities that wait for a model's comparison.
MATCH (entity:Entity:KgBuild) WHERE entity.uncompared = true
RETURN count(entity) AS n
