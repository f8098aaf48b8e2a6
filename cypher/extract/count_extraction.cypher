// How many chunks are to be read.
MATCH (chunk:Chunk) WHERE chunk.extraction IN ['pending', 'failed']
RETURN count(chunk) AS n
