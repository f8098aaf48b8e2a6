// Finds chunks of selected documents near a vector by the vector index, the nearest first; since
// Neo4j 2026.06.
CYPHER 25
MATCH (node:Chunk)
  SEARCH node IN (
    VECTOR INDEX kg_chunk_vector FOR $vector WHERE node.document IN $documents LIMIT $k
  ) SCORE AS score
WITH node, score WHERE node:KgBuild
RETURN node.id AS id, score ORDER BY score DESC, id
