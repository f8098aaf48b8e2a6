// Finds the nodes nearest to a vector by an index, the nearest first; before Neo4j 2026.02.
CALL db.index.vector.queryNodes($index, $k, $vector) YIELD node, score WHERE node:KgBuild
RETURN node.id AS id, score ORDER BY score DESC, id
