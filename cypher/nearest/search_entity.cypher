// The entities nearest to a vector, nearest first; from Neo4j 2026.02 on.
CYPHER 25
MATCH (node:Entity)
  SEARCH node IN (VECTOR INDEX kg_entity_vector FOR $vector LIMIT $k) SCORE AS score
RETURN node.id AS id, score ORDER BY score DESC, id
