// Counts the chunks that are not read for claims in a graph where other chunks are.
MATCH (chunk:Chunk) WHERE chunk.claims IN ['pending', 'failed']
WITH count(chunk) AS n
RETURN CASE WHEN EXISTS { (:Chunk {claims: 'done'}) } THEN n ELSE 0 END AS n
