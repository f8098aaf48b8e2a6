// Reads relationships by id, with the names of their ends.
UNWIND $ids AS id
MATCH (a:Entity)-[r:RELATED {id: id}]->(b:Entity)
RETURN r.id AS id, r.ref AS ref, a.name AS source, b.name AS target, r.description AS description
