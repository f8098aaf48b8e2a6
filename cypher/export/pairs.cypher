// Reads the relationships in the direction of most of their statements.
MATCH (a:Entity:KgBuild)-[pair:RELATED]->(b:Entity:KgBuild)
WITH pair, CASE WHEN pair.reversed THEN [b, a] ELSE [a, b] END AS ends
RETURN pair.id AS id, ends[0].id AS source, ends[1].id AS target, pair.weight AS weight,
       pair.description AS description, pair.predicate AS predicate
