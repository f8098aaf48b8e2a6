// How many chunks are to be read for claims.
MATCH (chunk:Chunk) WHERE chunk.claims IN ['pending', 'failed'] AND chunk.extraction = 'done'
RETURN count(chunk) AS n
