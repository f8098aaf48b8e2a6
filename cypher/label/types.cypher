// Counts the entities of each type.
MATCH (entity:Entity:KgBuild) WHERE entity.type IS NOT NULL
RETURN entity.type AS type, count(*) AS n
