// Finds chunks of selected documents by full-text search among the $among best matches of all, the
// best match first.
CALL db.index.fulltext.queryNodes('kg_chunk_text', $words, {limit: $among}) YIELD node, score
MATCH (node:KgBuild)-[:PART_OF]->(document:Document:KgBuild) WHERE document.id IN $documents
RETURN node.id AS id, score ORDER BY score DESC, id LIMIT $k
