// Finds communities by full-text search in their reports, the best match first.
CALL db.index.fulltext.queryNodes('kg_community_text', $words, {limit: $k}) YIELD node, score WHERE node:KgBuild
RETURN node.id AS id, score ORDER BY score DESC, id
