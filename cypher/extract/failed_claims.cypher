// Saves why chunks could not be read for claims; their old claims stay.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
SET chunk.claims = 'failed', chunk.claims_error = row.reason
