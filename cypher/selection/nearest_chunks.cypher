// Finds the chunks of selected documents that are nearest to a vector, the nearest first.
MATCH (document:Document:KgBuild)<-[:PART_OF]-(chunk:Chunk:KgBuild)
WHERE document.id IN $documents AND size(chunk.embedding) = size($vector)
RETURN chunk.id AS id, vector.similarity.cosine(chunk.embedding, $vector) AS score
ORDER BY score DESC, id LIMIT $k
