// Finds the chunks of each of some documents that are nearest to a vector.
UNWIND $documents AS source
CALL (source) {
  MATCH (document:Document:KgBuild {source: source})<-[:PART_OF]-(chunk:Chunk:KgBuild)
  WHERE size(chunk.embedding) = size($vector)
  RETURN chunk, vector.similarity.cosine(chunk.embedding, $vector) AS score
  ORDER BY score DESC, chunk.id LIMIT $k
}
RETURN chunk.id AS id, score ORDER BY score DESC, id
