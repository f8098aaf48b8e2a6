// Reads the sources of documents that share a text: each original with its copies.
MATCH (original:Document:KgBuild)<-[:COPY_OF]-(copy:Document:KgBuild)
WITH original, copy ORDER BY original.source, copy.source
WITH original.source AS source, collect(copy.source) AS copies
RETURN [source] + copies AS files
