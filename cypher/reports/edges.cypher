// Reads the relationships inside communities, each in the direction of most of its statements.
UNWIND $ids AS id
MATCH (community:Community {id: id}) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(a:Entity:KgBuild)
MATCH (a)-[pair:RELATED]->(b:Entity:KgBuild)
WHERE EXISTS { (b)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (community) }
WITH id, pair, CASE WHEN pair.reversed THEN [b, a] ELSE [a, b] END AS ends
RETURN id AS community, pair.id AS id, pair.ref AS ref, ends[0].id AS source, ends[1].id AS target,
       ends[0].name AS source_name, ends[1].name AS target_name, pair.predicate AS predicate,
       pair.description AS description,
       pair.weight AS weight, pair.opposite AS opposite, pair.description_sample AS sample
