// Finds the spellings nearest to spellings by their vectors among the nodes Entity; since Neo4j
// 2026.02. An entity stands for the spelling that it has its id from.
CYPHER 25
UNWIND $ids AS id
OPTIONAL MATCH (entity:Entity {id: id})
OPTIONAL MATCH (spelling:Spelling {id: id})
WITH id, coalesce(spelling.name_vector, entity.name_vector) AS vector WHERE vector IS NOT NULL
CALL (vector) {
  MATCH (node:Entity)
    SEARCH node IN (VECTOR INDEX kg_entity_name_vector FOR vector LIMIT $k) SCORE AS score
  RETURN node, score
}
WITH id, node WHERE node:KgBuild AND score >= $rough AND node.id <> id
  AND vector.similarity.cosine(vector, node.name_vector) >= $least
OPTIONAL MATCH (spelling:Spelling {id: node.id})
WITH id, node, spelling WHERE coalesce(spelling.n, 1) > 0
RETURN id AS key, node.id AS id, coalesce(spelling.name, node.name) AS name,
       CASE WHEN spelling IS NULL THEN node.type ELSE spelling.type END AS type,
       coalesce(spelling.n, 1) AS n, spelling.entity AS entity, spelling IS NOT NULL AS decided
ORDER BY key, id
