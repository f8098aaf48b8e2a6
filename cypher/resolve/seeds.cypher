// Reads a page of the ids of marked entities and spellings.
CALL () {
  MATCH (x:Spelling) WHERE x.unresolved = true RETURN x.id AS id LIMIT $limit
  UNION
  MATCH (x:Entity) WHERE x.unresolved = true RETURN x.id AS id LIMIT $limit
}
RETURN id LIMIT $limit
