// Counts for each phrase the chunks of each document that hold it, the most first: of $documents, or
// of all where this is null.
UNWIND $phrases AS phrase
CALL (phrase) {
  CALL db.index.fulltext.queryNodes('kg_chunk_text', phrase.words) YIELD node
  MATCH (node:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
  WHERE $documents IS NULL OR document.id IN $documents
  RETURN document, count(node) AS n
}
RETURN phrase.id AS id, document.source AS document, document.title AS title, n
ORDER BY n DESC, document
