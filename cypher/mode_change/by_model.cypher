// Whether a chunk was read by a model; two ranges of an index, where <> would scan.
CALL () {
  MATCH (chunk:Chunk) WHERE chunk.extraction_with < $extractive RETURN chunk LIMIT 1
  UNION
  MATCH (chunk:Chunk) WHERE chunk.extraction_with >= $beyond RETURN chunk LIMIT 1
}
RETURN count(chunk) > 0 AS found
