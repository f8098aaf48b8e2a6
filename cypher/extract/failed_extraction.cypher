// Chunks that could not be read, and why; what was read in them before stands.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
SET chunk.extraction = 'failed', chunk.extraction_error = row.reason
