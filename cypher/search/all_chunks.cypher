// Reads a page of all chunks in the order of their refs.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.ref > $after
WITH chunk ORDER BY chunk.ref LIMIT $limit
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text, chunk.header AS header,
       chunk.speaker AS speaker
