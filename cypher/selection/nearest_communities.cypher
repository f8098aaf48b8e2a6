// Finds those of some communities that are nearest to a vector, the nearest first.
MATCH (community:Community:KgBuild)
WHERE community.id IN $ids AND size(community.embedding) = size($vector)
RETURN community.id AS id, vector.similarity.cosine(community.embedding, $vector) AS score
ORDER BY score DESC, id LIMIT $k
