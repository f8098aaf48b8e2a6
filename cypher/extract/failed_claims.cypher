// Chunks that could not be read for claims, and why; the claims that they have stand.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
SET chunk.claims = 'failed', chunk.claims_error = row.reason
