// Reads the sources of documents that are listed or are a later part of a listed text, or are one of
// these files or one of their rows.
CALL () {
  UNWIND $sources + $files AS source
  MATCH (document:Document:KgBuild {source: source})
  RETURN document
  UNION
  UNWIND $sources AS source
  MATCH (document:Document:KgBuild) WHERE document.source STARTS WITH source + '#part-'
  WITH document WHERE document.meta_part IS NOT NULL
  RETURN document
  UNION
  UNWIND $files AS file
  MATCH (document:Document:KgBuild) WHERE document.source STARTS WITH file + '#'
  RETURN document
}
RETURN document.source AS source ORDER BY source
