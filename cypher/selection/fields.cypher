// Lists the properties that hold metadata of documents.
MATCH (document:Document:KgBuild)
UNWIND keys(document) AS key
WITH DISTINCT key WHERE key STARTS WITH 'meta_'
RETURN key ORDER BY key
