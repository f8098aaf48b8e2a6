// Reads the sources of documents that begin with $prefix.
MATCH (document:Document:KgBuild) WHERE document.source STARTS WITH $prefix
RETURN document.source AS source ORDER BY source
