// Reads the weighted edges that communities are made of.
MATCH (a:Entity)-[pair:RELATED]->(b:Entity)
RETURN a.id AS start, b.id AS end, pair.weight AS weight
