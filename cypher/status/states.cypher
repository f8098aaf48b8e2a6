// How many chunks are in which state.
MATCH (chunk:Chunk)
RETURN chunk.extraction AS extraction, chunk.claims AS claims, count(*) AS n
