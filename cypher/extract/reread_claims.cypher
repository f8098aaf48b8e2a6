// Marks chunks that were read for claims with other settings.
MATCH (chunk:Chunk) WHERE chunk.claims = 'done' AND chunk.claims_with <> $signature
SET chunk.claims = 'pending'
