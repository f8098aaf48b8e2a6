// Marks chunks that were read for claims without a model; their claims stand until they are replaced.
MATCH (chunk:Chunk)
WHERE chunk.claims_with >= $extractive AND chunk.claims_with < $beyond AND chunk.claims = 'done'
SET chunk.claims = 'pending'
RETURN count(chunk) AS n
