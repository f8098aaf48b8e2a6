// Counts the values of each field of metadata in at most $documents documents, the most frequent
// first; a long value is cut off. Each member of a list is a value.
MATCH (document:Document:KgBuild)
WITH document LIMIT $documents
UNWIND [key IN keys(document) WHERE key STARTS WITH 'meta_'] AS key
UNWIND [] + document[key] AS value
WITH key, value, collect(document) AS having
WITH key, value, size(having) AS n, having
ORDER BY key, n DESC, toString(value)
WITH key, collect(having) AS lists,
     collect(DISTINCT CASE WHEN valueType(value) STARTS WITH 'STRING' THEN 'text'
                           WHEN valueType(value) STARTS WITH 'BOOLEAN' THEN 'yes/no'
                           ELSE 'number' END) AS kinds,
     collect({value: left(toString(value), 100), documents: n})[..$values] AS values
RETURN substring(key, 5) AS field, kinds, values,
       COUNT { UNWIND lists AS list UNWIND list AS one RETURN DISTINCT one } AS documents
ORDER BY field
