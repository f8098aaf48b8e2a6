// Finds names of entities with a word similar to one of $words; `fuzzy` is the fuzzy query of it.
UNWIND $words AS word
CALL (word) {
  CALL db.index.fulltext.queryNodes('kg_entity_text', word.fuzzy, {limit: $limit})
    YIELD node, score WHERE node:KgBuild
  RETURN node.name AS name, node.degree AS degree, score
}
RETURN word.word AS word, name, degree ORDER BY word, score DESC, degree DESC, name
