// Reads the weighted edges that start at the entities with an id in a range.
MATCH (a:Entity:KgBuild)-[pair:RELATED]->(b:Entity:KgBuild) WHERE $after < a.id <= $last
RETURN a.id AS source, collect(b.id) AS targets, collect(pair.weight) AS weights
