// Counts the chunks that are pending or failed for entities and relationships.
// `ref >= 0` is always true; an index of two properties serves only a search by both.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction IN ['pending', 'failed'] AND chunk.ref >= 0
RETURN count(chunk) AS n
