// Marks chunks that were read for claims offline; their claims stand until they are replaced.
MATCH (chunk:Chunk)
WHERE chunk.claims_with >= $offline AND chunk.claims_with < $beyond AND chunk.claims = 'done'
SET chunk.claims = 'pending'
RETURN count(chunk) AS n
