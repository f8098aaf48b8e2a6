// The reports of the communities inside one community, from the coarsest to the finest.
MATCH path = (part:Community)-[:PARENT*]->(:Community {ref: $community})
RETURN part.level AS level, part.ref AS community, part.title AS title, part.size AS entities,
       part.rating AS rating, part.summary AS summary,
       [node IN nodes(path)[1..] | node.title] AS inside
ORDER BY level, entities DESC, community LIMIT 100
