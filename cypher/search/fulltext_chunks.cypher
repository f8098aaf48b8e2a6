// Finds chunks by full-text search, the best match first.
CALL db.index.fulltext.queryNodes('kg_chunk_text', $words, {limit: $k}) YIELD node, score WHERE node:KgBuild
RETURN node.id AS id, score ORDER BY score DESC, id
