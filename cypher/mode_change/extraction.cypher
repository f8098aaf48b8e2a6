// Marks chunks that were read without a model; what they say stands until it is replaced.
MATCH (chunk:Chunk)
WHERE chunk.extraction_with >= $extractive AND chunk.extraction_with < $beyond
  AND chunk.extraction = 'done'
SET chunk.extraction = 'pending'
RETURN count(chunk) AS n
