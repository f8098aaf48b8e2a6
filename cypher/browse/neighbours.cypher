// Draws one entity with the entities most strongly related to it, and their communities.
MATCH (entity:Entity {name: $entity})-[pair:RELATED]-(other:Entity)
WITH entity, pair, other ORDER BY pair.weight DESC, other.degree DESC, other.id LIMIT 40
MATCH home = (other)-[:IN_COMMUNITY]->(:Community)
RETURN entity, pair, home
