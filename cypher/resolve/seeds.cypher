// Reads a page of the ids of marked entities and spellings.
CALL () {
  MATCH (x:Spelling:KgBuild) WHERE x.unresolved = true RETURN x.id AS id LIMIT $limit
  UNION
  MATCH (x:Entity:KgBuild) WHERE x.unresolved = true RETURN x.id AS id LIMIT $limit
}
RETURN id LIMIT $limit
