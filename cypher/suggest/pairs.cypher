// Reads which of some entities are related to each other, those with the most statements first.
MATCH (a:Entity:KgBuild)-[r:RELATED]->(b:Entity:KgBuild) WHERE a.id IN $ids AND b.id IN $ids
RETURN a.name AS source, b.name AS target, r.weight AS weight
ORDER BY weight DESC, a.id, b.id LIMIT $most
