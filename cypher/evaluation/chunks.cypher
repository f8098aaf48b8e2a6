// Reads a page of chunks. The id of a chunk is a hash of its document and its text.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.id > $after
WITH chunk ORDER BY chunk.id LIMIT $limit
RETURN chunk.id AS id, [toString(chunk.embedding IS NOT NULL)] AS content
ORDER BY id
