// Finds the entities nearest to a vector, the nearest first; since Neo4j 2026.02.
CYPHER 25
MATCH (node:Entity)
  SEARCH node IN (VECTOR INDEX kg_entity_vector FOR $vector LIMIT $k) SCORE AS score
WITH node, score WHERE node:KgBuild
RETURN node.id AS id, score ORDER BY score DESC, id
