// Reads the texts of some chunks in the order of their ids.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.id > ''
RETURN chunk.text AS text ORDER BY chunk.id LIMIT $limit
