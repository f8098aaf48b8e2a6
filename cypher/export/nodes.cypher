// Reads all nodes of the labels of a graph with their properties, without vectors.
MATCH (node:KgBuild)
WITH node, [label IN labels(node) WHERE label IN $labels][0] AS label
WHERE label IS NOT NULL
WITH node, label, reduce(all = label, one IN labels(node) | CASE one WHEN label THEN all ELSE all + ';' + one END) AS labels
RETURN label AS table, [label + ':' + node.id, labels] AS own,
       node {.*, embedding: null} AS properties
