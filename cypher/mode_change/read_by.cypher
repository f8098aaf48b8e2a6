// Reads whether chunks were read by a model, and whether some were read without one; < and > use the
// index, and <> would not.
CALL () {
  MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction_with < $extractive RETURN 'model' AS origin LIMIT 1
  UNION
  MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction_with >= $beyond RETURN 'model' AS origin LIMIT 1
  UNION
  MATCH (chunk:Chunk:KgBuild) WHERE $extractive <= chunk.extraction_with < $beyond
  RETURN 'extractive' AS origin LIMIT 1
}
RETURN origin ORDER BY origin DESC
