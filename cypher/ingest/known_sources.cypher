// Reads the sources of documents that are listed, or are one of these files or one of their rows.
CALL () {
  UNWIND $sources + $files AS source
  MATCH (document:Document {source: source})
  RETURN document
  UNION
  UNWIND $files AS file
  MATCH (document:Document) WHERE document.source STARTS WITH file + '#'
  RETURN document
}
RETURN document.source AS source ORDER BY source
