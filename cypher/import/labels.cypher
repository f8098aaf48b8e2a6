// Reads the labels of another database that nodes have, each with some properties of nodes.
CALL db.labels() YIELD label
CALL (label) { MATCH (n:$(label)) RETURN count(n) AS n }
WITH label, n WHERE n > 0
RETURN label, n, COLLECT { MATCH (node:$(label)) RETURN properties(node) LIMIT $limit } AS sample
ORDER BY n, label
