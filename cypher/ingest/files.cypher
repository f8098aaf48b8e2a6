// Reads the sources of files: those of documents that begin with $prefix, without the part after "#".
MATCH (document:Document:KgBuild) WHERE document.source STARTS WITH $prefix
RETURN DISTINCT split(document.source, '#')[0] AS source
