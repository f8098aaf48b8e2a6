// Entities whose name holds some of the words, the best first.
CALL db.index.fulltext.queryNodes('kg_entity_text', $words, {limit: $k}) YIELD node, score
RETURN node.id AS id, node.name AS name, score ORDER BY score DESC, id
