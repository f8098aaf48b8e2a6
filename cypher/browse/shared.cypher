// Draws the strongest relationships between the members of two communities.
MATCH (:Community {ref: $community})<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(entity:Entity)
MATCH link = (entity)-[pair:RELATED]-(other:Entity)
WHERE EXISTS { (other)-[:IN_COMMUNITY]->()-[:PARENT*0..]->(:Community {ref: $other}) }
RETURN link ORDER BY pair.weight DESC, pair.ref LIMIT 60
