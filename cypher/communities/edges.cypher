// Reads the weighted edges that communities are made of.
MATCH (a:Entity)-[pair:RELATED]->(b:Entity)
RETURN a.id AS source, b.id AS target, pair.weight AS weight
