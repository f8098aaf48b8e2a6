// Draws the members of one community with the most relationships, and these relationships.
MATCH (:Community {ref: $community})<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(entity:Entity)
WITH entity ORDER BY entity.degree DESC, entity.id LIMIT 40
WITH collect(entity) AS members
UNWIND members AS member
OPTIONAL MATCH pair = (member)-[:RELATED]->(other:Entity) WHERE other IN members
RETURN member, pair
