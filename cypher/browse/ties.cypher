// The pairs of communities of level 0 with the most RELATED weight between their members.
MATCH (one:Community {level: 0})<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(a:Entity)
MATCH (a)-[pair:RELATED]-(b:Entity)-[:IN_COMMUNITY]->()-[:PARENT*0..]->(other:Community {level: 0})
WHERE one.ref < other.ref
WITH one, other, pair, a, b ORDER BY pair.weight DESC, pair.ref
WITH one, other, sum(pair.weight) AS weight, count(pair) AS relationships,
     collect(a.name + ' – ' + b.name)[..3] AS strongest
RETURN weight, relationships, one.ref AS community, one.title AS title, other.ref AS other,
       other.title AS other_title, strongest
ORDER BY weight DESC, community, other LIMIT 50
