// Counts the chunks that were read with other settings; < and > use the index, and <> would not.
CALL () {
  MATCH (chunk:Chunk:KgBuild)
  WHERE (chunk.extraction_with < $extraction OR chunk.extraction_with > $extraction)
    AND chunk.extraction = 'done'
  RETURN chunk
  UNION
  MATCH (chunk:Chunk:KgBuild)
  WHERE (chunk.claims_with < $claims OR chunk.claims_with > $claims)
    AND chunk.claims = 'done' AND $with_claims
  RETURN chunk
}
RETURN count(chunk) AS n
