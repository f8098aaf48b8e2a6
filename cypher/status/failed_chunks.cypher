// Reads the chunks that could not be read, with the reasons.
MATCH (chunk:Chunk)-[:PART_OF]->(document:Document)
WHERE chunk.extraction = 'failed' OR chunk.claims = 'failed'
RETURN document.source AS source, chunk.index AS index, chunk.ref AS ref,
       CASE chunk.extraction WHEN 'failed' THEN chunk.extraction_error END AS extraction,
       CASE chunk.claims WHEN 'failed' THEN chunk.claims_error END AS claims
ORDER BY ref
