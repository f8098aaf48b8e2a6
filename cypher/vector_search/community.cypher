// Finds the communities nearest to a vector, the nearest first; since Neo4j 2026.02.
CYPHER 25
MATCH (node:Community)
  SEARCH node IN (VECTOR INDEX kg_community_vector FOR $vector LIMIT $k) SCORE AS score
WITH node, score WHERE node:KgBuild
RETURN node.id AS id, score ORDER BY score DESC, id
