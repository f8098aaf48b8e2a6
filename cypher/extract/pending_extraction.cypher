// Reads a page of chunks after ref $after that are pending or failed ($state).
MATCH (chunk:Chunk:KgBuild)
WHERE chunk.extraction = $state AND chunk.ref > $after
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text, chunk.header AS header, chunk.speaker AS speaker,
       chunk.extraction_with IS NOT NULL AS again, [] AS entities
ORDER BY chunk.extraction, chunk.ref LIMIT $limit
