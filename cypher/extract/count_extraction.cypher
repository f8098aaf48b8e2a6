// Counts the chunks that are pending or failed for entities and relationships.
MATCH (chunk:Chunk) WHERE chunk.extraction IN ['pending', 'failed']
RETURN count(chunk) AS n
