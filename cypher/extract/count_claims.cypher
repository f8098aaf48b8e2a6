// Counts the chunks that are pending or failed for claims.
// `ref >= 0` is always true; an index of two properties serves only a search by both.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.claims IN ['pending', 'failed'] AND chunk.ref >= 0 AND chunk.extraction = 'done'
RETURN count(chunk) AS n
