// Reads relationships by id, with the names of their ends in the direction of most statements.
UNWIND $ids AS id
MATCH (a:Entity:KgBuild)-[r:RELATED {id: id}]->(b:Entity:KgBuild)
WITH r, CASE WHEN r.reversed THEN [b, a] ELSE [a, b] END AS ends
RETURN r.id AS id, r.ref AS ref, ends[0].name AS source, ends[1].name AS target,
       r.predicate AS predicate, r.description AS description, r.weight AS weight, r.opposite AS opposite
