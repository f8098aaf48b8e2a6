// Draws the communities inside one community, the largest first.
MATCH way = (part:Community)-[:PARENT*]->(:Community {ref: $community})
RETURN way ORDER BY part.size DESC, part.ref LIMIT 60
