// Reads whether a model has read a chunk; < and > use the index, and <> would not.
CALL () {
  MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction_with < $extractive RETURN chunk LIMIT 1
  UNION
  MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction_with >= $beyond RETURN chunk LIMIT 1
}
RETURN count(chunk) > 0 AS found
