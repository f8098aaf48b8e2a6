// Marks chunks as pending that were read extractively; their evidence stays until replaced.
MATCH (chunk:Chunk:KgBuild)
WHERE chunk.extraction_with >= $extractive AND chunk.extraction_with < $beyond
  AND chunk.extraction = 'done'
SET chunk.extraction = 'pending'
RETURN count(chunk) AS n
