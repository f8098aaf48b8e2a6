// Reads the properties of the relationships of each type, and the types of their values. The name of the first one
// is empty, so that a type without properties has a row.
MATCH (:KgBuild)-[pair]->(:KgBuild) WHERE type(pair) IN $types
UNWIND [''] + keys(pair) AS name
WITH DISTINCT type(pair) AS table, name, valueType(pair[name]) AS kind
RETURN table, name, collect(kind) AS kinds ORDER BY table, name
