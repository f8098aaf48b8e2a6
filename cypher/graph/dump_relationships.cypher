// Reads all relationships with the ids of their ends.
MATCH (a)-[r]->(b)
RETURN type(r) AS type, a.id AS start, b.id AS end, properties(r) AS properties
