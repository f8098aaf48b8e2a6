// Saves that chunks hold no claims, and a hash of their evidence.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
SET chunk.claims = 'done', chunk.evidence_hash = row.hash
REMOVE chunk.claims_with
