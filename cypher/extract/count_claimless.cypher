// Counts the chunks that are not read for claims in a graph where other chunks are.
// `ref >= 0` is always true; an index of two properties serves only a search by both.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.claims IN ['pending', 'failed'] AND chunk.ref >= 0
WITH count(chunk) AS n
RETURN CASE WHEN EXISTS {
  MATCH (chunk:Chunk:KgBuild) WHERE chunk.claims = 'done' AND chunk.ref >= 0
} THEN n ELSE 0 END AS n
