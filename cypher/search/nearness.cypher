// Reads how near chunks are to a vector. Those without a vector of its length are left out.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.id IN $ids AND size(chunk.embedding) = size($vector)
RETURN chunk.id AS id, vector.similarity.cosine(chunk.embedding, $vector) AS score
