// Finds the chunks nearest to a vector within the documents that hold most of some chunks.
MATCH (found:Chunk)-[:PART_OF]->(document:Document) WHERE found.id IN $ids
WITH document, count(found) AS often ORDER BY often DESC, document.source LIMIT $documents
MATCH (document)<-[:PART_OF]-(chunk:Chunk) WHERE size(chunk.embedding) = size($vector)
RETURN chunk.id AS id, vector.similarity.cosine(chunk.embedding, $vector) AS score
ORDER BY score DESC, id LIMIT $k
