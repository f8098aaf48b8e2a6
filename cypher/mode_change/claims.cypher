// Marks chunks as pending that were read extractively for claims; their claims stay until replaced.
MATCH (chunk:Chunk:KgBuild)
WHERE chunk.claims_with >= $extractive AND chunk.claims_with < $beyond AND chunk.claims = 'done'
SET chunk.claims = 'pending'
RETURN count(chunk) AS n
