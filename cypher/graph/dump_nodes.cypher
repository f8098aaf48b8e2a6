// Reads all nodes but those that tell how the graph was built.
MATCH (node:KgBuild) WHERE NOT node:Build AND NOT node:Counter AND NOT node:State AND NOT node:Batch
  AND NOT node:BatchRequest
RETURN [label IN labels(node) WHERE label <> 'KgBuild'] AS labels, node.id AS id, node.ref AS ref, properties(node) AS properties
