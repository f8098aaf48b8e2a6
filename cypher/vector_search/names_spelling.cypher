// Finds the spellings nearest to vectors among the nodes Spelling; since Neo4j 2026.02. An entity stands
// for the spelling that it has its id from.
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (node:Spelling)
    SEARCH node IN (VECTOR INDEX kg_spelling_name_vector FOR row.vector LIMIT $k) SCORE AS score
  RETURN node, score
}
WITH row, node WHERE score >= $least AND node.id <> row.id
OPTIONAL MATCH (spelling:Spelling {id: node.id})
WITH row, node, spelling WHERE coalesce(spelling.n, 1) > 0
RETURN row.id AS key, node.id AS id, coalesce(spelling.name, node.name) AS name,
       CASE WHEN spelling IS NULL THEN node.type ELSE spelling.type END AS type,
       coalesce(spelling.n, 1) AS n, spelling.entity AS entity, spelling IS NOT NULL AS decided,
       node.name_vector AS vector
ORDER BY key, id
