// Finds relationships by full-text search in their descriptions, the best match first.
CALL db.index.fulltext.queryRelationships('kg_related_text', $words, {limit: $k})
YIELD relationship, score
RETURN relationship.id AS id, startNode(relationship).id AS source,
       endNode(relationship).id AS target, score
ORDER BY score DESC, relationship.id
