// Reads a page of the ids of entities after $after that wait for a model's comparison.
MATCH (entity:Entity:KgBuild) WHERE entity.uncompared = true AND entity.id > $after
RETURN entity.id AS id ORDER BY id LIMIT $limit
