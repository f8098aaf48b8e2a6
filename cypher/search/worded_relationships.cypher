// Relationships whose description holds some of the words, the best first.
CALL db.index.fulltext.queryRelationships('kg_related_text', $words, {limit: $k})
YIELD relationship, score
RETURN startNode(relationship).id AS source, endNode(relationship).id AS target, score
ORDER BY score DESC, relationship.id
