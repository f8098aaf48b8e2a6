// Counts the chunks that are pending or failed for claims.
MATCH (chunk:Chunk) WHERE chunk.claims IN ['pending', 'failed'] AND chunk.extraction = 'done'
RETURN count(chunk) AS n
