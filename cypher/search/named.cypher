// Finds entities by words of their names, the best match first.
CALL db.index.fulltext.queryNodes('kg_entity_text', $words, {limit: $k}) YIELD node, score WHERE node:KgBuild
RETURN node.id AS id, node.name AS name, coalesce(node.aliases, []) AS aliases, score ORDER BY score DESC, id
