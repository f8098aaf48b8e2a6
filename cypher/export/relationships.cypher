// Reads all relationships of the types of a graph, with their properties.
MATCH (a:KgBuild)-[pair]->(b:KgBuild) WHERE type(pair) IN $types
WITH pair, [label IN labels(a) WHERE label IN $labels][0] + ':' + a.id AS start,
     [label IN labels(b) WHERE label IN $labels][0] + ':' + b.id AS end
WHERE start IS NOT NULL AND end IS NOT NULL
RETURN type(pair) AS table, [start, end, type(pair)] AS own, properties(pair) AS properties
