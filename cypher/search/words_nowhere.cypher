// Those of some words that stand in no chunk, and in no entity's name or description.
UNWIND $words AS word
CALL (word) {
  CALL db.index.fulltext.queryNodes('kg_chunk_text', word, {limit: 1}) YIELD node
  RETURN count(node) AS chunks
}
CALL (word) {
  CALL db.index.fulltext.queryNodes('kg_entity_text', word, {limit: 1}) YIELD node
  RETURN count(node) AS entities
}
WITH word WHERE chunks + entities = 0
RETURN word
