// Reads the spellings in blocks: entities that nothing was decided about, and decided spellings.
UNWIND $keys AS key
CALL (key) {
  MATCH (x:Entity:KgBuild {key: key})
  RETURN x.id AS id, x.name AS name, x.type AS type, 1 AS n, 1 AS documents,
         null AS entity, false AS decided
  UNION ALL
  MATCH (x:Spelling:KgBuild {key: key})
  RETURN x.id AS id, x.name AS name, x.type AS type, x.n AS n,
         coalesce(x.documents, 1) AS documents, x.entity AS entity, true AS decided
}
RETURN key, id, name, type, n, documents, entity, decided ORDER BY key, id, decided
