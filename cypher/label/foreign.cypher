// Reads the labels of nodes that are not ours. In a database without such nodes it looks at none.
WITH COUNT { () } > COUNT { (:KgBuild) } AS shared WHERE shared
MATCH (node) WHERE NOT node:KgBuild
UNWIND labels(node) AS label
RETURN DISTINCT label
