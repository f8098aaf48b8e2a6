// Names the documents of files.
UNWIND $rows AS row
CALL (row) {
  MATCH (document:Document:KgBuild {source: row.file})
  RETURN document
  UNION
  MATCH (document:Document:KgBuild) WHERE document.source STARTS WITH row.file + '#'
  RETURN document
}
SET document.name = row.name
