// Reads a page of entities with all that an answer is shown of them.
MATCH (entity:Entity:KgBuild) WHERE entity.id > $after
WITH entity ORDER BY entity.id LIMIT $limit
RETURN entity.id AS id,
  [coalesce(entity.name, ''), coalesce(entity.type, ''), toString(coalesce(entity.degree, 0)),
   coalesce(entity.description, '')] AS content
ORDER BY id
