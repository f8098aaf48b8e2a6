// What the guide shows first: the largest community, the one most related to it, an entity.
MATCH (community:Community {level: 0})
WITH community ORDER BY community.size DESC, community.ref LIMIT 1
RETURN community.ref AS community,
  head(COLLECT {
    MATCH (community)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(:Entity)-[pair:RELATED]-(far:Entity)
    MATCH (far)-[:IN_COMMUNITY]->()-[:PARENT*0..]->(other:Community {level: 0})
    WHERE other <> community
    WITH other, sum(pair.weight) AS weight
    RETURN other.ref ORDER BY weight DESC, other.ref LIMIT 1
  }) AS other,
  head(COLLECT {
    MATCH (community)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(entity:Entity)
    RETURN entity.name ORDER BY entity.degree DESC, entity.id LIMIT 1
  }) AS entity
