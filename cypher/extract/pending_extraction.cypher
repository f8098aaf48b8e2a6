// Reads a page of chunks after ref $after that are pending or failed ($state).
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
WHERE chunk.extraction = $state AND chunk.ref > $after
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text, document.header AS header,
       chunk.extraction_with IS NOT NULL AS again
ORDER BY chunk.extraction, chunk.ref LIMIT $limit
