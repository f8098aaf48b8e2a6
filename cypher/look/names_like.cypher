// Names of entities that hold a word like one of these; `fuzzy`: the word as a fuzzy query.
UNWIND $words AS word
CALL (word) {
  CALL db.index.fulltext.queryNodes('kg_entity_text', word.fuzzy, {limit: $limit})
    YIELD node, score
  RETURN node.name AS name, node.degree AS degree, score
}
RETURN word.word AS word, name, degree ORDER BY word, score DESC, degree DESC, name
