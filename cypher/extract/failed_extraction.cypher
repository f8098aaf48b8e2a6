// Saves why chunks could not be read; their old evidence stays.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
SET chunk.extraction = 'failed', chunk.extraction_error = row.reason
