// Tells whether any chunk has been read.
RETURN EXISTS { MATCH (chunk:Chunk) WHERE chunk.extraction = 'done' } AS found
