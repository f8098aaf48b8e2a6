// Reads all relationships with the ids of their ends.
MATCH (a:KgBuild)-[r]->(b:KgBuild)
RETURN type(r) AS type, a.id AS start, b.id AS end, r.id AS id, r.ref AS ref, properties(r) AS properties
