// Finds entities by words of their aliases, those with the most relationships first.
CALL db.index.fulltext.queryNodes('kg_entity_text', $words, {limit: $limit}) YIELD node
WHERE node:KgBuild AND node.aliases IS NOT NULL
RETURN node.id AS id, node.aliases AS aliases ORDER BY node.degree DESC, id
