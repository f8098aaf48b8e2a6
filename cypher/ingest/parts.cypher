// Reads the sources of documents that may be later parts of a long text.
MATCH (document:Document:KgBuild) WHERE document.source CONTAINS '#part-'
RETURN document.source AS source ORDER BY source
