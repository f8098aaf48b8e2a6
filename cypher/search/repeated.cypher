// Counts the documents that hold each phrase, and stops at $most chunks: those of $documents, or all
// where this is null.
UNWIND $phrases AS phrase
CALL (phrase) {
  CALL db.index.fulltext.queryNodes('kg_chunk_text', phrase.words, {limit: $most}) YIELD node
  MATCH (node:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
  WHERE $documents IS NULL OR document.id IN $documents
  RETURN count(DISTINCT document) AS documents
}
RETURN phrase.number AS number, documents
