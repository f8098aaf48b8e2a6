// Finds entities by words of their names, the best match first.
CALL db.index.fulltext.queryNodes('kg_entity_text', $words, {limit: $limit}) YIELD node, score WHERE node:KgBuild
RETURN node.ref AS ref, node.name AS name, node.type AS type,
       coalesce(node.description, '') AS description, node.degree AS degree
ORDER BY score DESC, node.degree DESC, node.id
