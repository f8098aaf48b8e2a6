// Marks chunks as pending that were read for claims with other settings.
MATCH (chunk:Chunk:KgBuild)
WHERE (chunk.claims_with < $signature OR chunk.claims_with > $signature)
  AND chunk.claims = 'done'
SET chunk.claims = 'pending'
