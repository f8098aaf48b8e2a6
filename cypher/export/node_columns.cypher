// Reads the properties of the nodes of each label of a graph, and the types of their values.
MATCH (node:KgBuild)
WITH node, [label IN labels(node) WHERE label IN $labels][0] AS table
WHERE table IS NOT NULL
UNWIND [name IN keys(node) WHERE name <> 'embedding'] AS name
WITH DISTINCT table, name, valueType(node[name]) AS kind
RETURN table, name, collect(kind) AS kinds ORDER BY table, name
