// Reads all nodes of the labels of a graph with their properties, without vectors.
MATCH (node:KgBuild)
WITH node, [label IN labels(node) WHERE label IN $labels][0] AS label
WHERE label IS NOT NULL
RETURN label AS table, [label + ':' + node.id, label + ';KgBuild'] AS own,
       node {.*, embedding: null} AS properties
