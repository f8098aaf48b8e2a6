// Counts the values of each field of metadata in at most $documents documents, the most frequent
// first; a long value is cut off.
MATCH (document:Document:KgBuild)
WITH document LIMIT $documents
UNWIND [key IN keys(document) WHERE key STARTS WITH 'meta_'] AS key
WITH key, document[key] AS value, count(*) AS n
ORDER BY key, n DESC, toString(value)
WITH key, sum(n) AS documents,
     collect(DISTINCT CASE WHEN valueType(value) STARTS WITH 'STRING' THEN 'text'
                           WHEN valueType(value) STARTS WITH 'BOOLEAN' THEN 'yes/no'
                           ELSE 'number' END) AS kinds,
     collect({value: left(toString(value), 100), documents: n})[..$values] AS values
RETURN substring(key, 5) AS field, kinds, documents, values ORDER BY field
