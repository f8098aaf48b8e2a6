// Reads the relationships inside communities.
UNWIND $ids AS id
MATCH (community:Community {id: id})<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(a:Entity)
MATCH (a)-[pair:RELATED]->(b:Entity)
WHERE EXISTS { (b)-[:IN_COMMUNITY]->()-[:PARENT*0..]->(community) }
RETURN id AS community, pair.id AS id, pair.ref AS ref, a.id AS source, b.id AS target,
       a.name AS source_name, b.name AS target_name, pair.description AS description,
       pair.weight AS weight
ORDER BY pair.id
