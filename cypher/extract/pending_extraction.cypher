// A page of chunks to read: pending or failed, after ref $after.
MATCH (chunk:Chunk)-[:PART_OF]->(document:Document)
WHERE chunk.extraction IN ['pending', 'failed'] AND chunk.ref > $after
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text, document.header AS header,
       chunk.extraction_with IS NOT NULL AS again
ORDER BY chunk.ref LIMIT $limit
