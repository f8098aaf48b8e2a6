// Finds the words that occur in no chunk and in no name or description of an entity.
UNWIND $words AS word
CALL (word) {
  CALL db.index.fulltext.queryNodes('kg_chunk_text', word, {limit: 1}) YIELD node WHERE node:KgBuild
  RETURN count(node) AS chunks
}
CALL (word) {
  CALL db.index.fulltext.queryNodes('kg_entity_text', word, {limit: 1}) YIELD node WHERE node:KgBuild
  RETURN count(node) AS entities
}
WITH word WHERE chunks + entities = 0
RETURN word
