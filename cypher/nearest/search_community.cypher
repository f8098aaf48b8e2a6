// The communities nearest to a vector, nearest first; from Neo4j 2026.02 on.
CYPHER 25
MATCH (node:Community)
  SEARCH node IN (VECTOR INDEX kg_community_vector FOR $vector LIMIT $k) SCORE AS score
RETURN node.id AS id, score ORDER BY score DESC, id
