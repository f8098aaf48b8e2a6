// Reads the chunks that could not be read, with the reasons.
// `ref >= 0` is always true; an index of two properties serves only a search by both.
CALL () {
  MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction = 'failed' AND chunk.ref >= 0 RETURN chunk
  UNION
  MATCH (chunk:Chunk:KgBuild) WHERE chunk.claims = 'failed' AND chunk.ref >= 0 RETURN chunk
}
MATCH (chunk)-[:PART_OF]->(document:Document)
RETURN document.source AS source, chunk.index AS index, chunk.ref AS ref,
       CASE chunk.extraction WHEN 'failed' THEN chunk.extraction_error END AS extraction,
       CASE chunk.claims WHEN 'failed' THEN chunk.claims_error END AS claims
ORDER BY ref
