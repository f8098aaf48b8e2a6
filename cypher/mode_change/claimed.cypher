// Reads a page of chunks that were read extractively for claims.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.claims_with >= $extractive AND chunk.claims_with < $beyond
RETURN chunk.id AS id LIMIT $limit
