// Reads a page of chunks after ref $after with entities read and claims pending or failed ($state).
MATCH (chunk:Chunk:KgBuild)
WHERE chunk.claims = $state AND chunk.extraction = 'done' AND chunk.ref > $after
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text, chunk.header AS header, chunk.speaker AS speaker,
       chunk.claims_with IS NOT NULL AS again
ORDER BY chunk.claims, chunk.ref LIMIT $limit
