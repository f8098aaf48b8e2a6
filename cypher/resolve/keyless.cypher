// Reads a page of entities without the keys of their names, with all names that they have.
MATCH (entity:Entity) WHERE entity.keyless = true
RETURN entity.id AS id, [entity.name] + coalesce(entity.aliases, []) AS names LIMIT $limit
