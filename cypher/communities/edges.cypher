// Reads the weighted edges that communities are made of, many of them in a row.
MATCH (a:Entity)-[pair:RELATED]->(b:Entity)
WITH left(a.id, 2) AS page, [a.id, b.id, pair.weight] AS edge
RETURN page, collect(edge) AS edges
