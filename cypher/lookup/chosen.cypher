// Reads the examples of the guide: the largest community, the one most related to it, an entity.
MATCH (community:Community:KgBuild {level: 0})
WITH community ORDER BY community.size DESC, community.ref LIMIT 1
CALL (community) {
  OPTIONAL MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(:Entity:KgBuild)-[pair:RELATED]-
    (:Entity:KgBuild)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (near:Community:KgBuild {level: 0})
  WHERE near <> community
  WITH near, sum(pair.weight) AS weight ORDER BY weight DESC, near.ref LIMIT 1
  RETURN near.ref AS other
}
CALL (community) {
  OPTIONAL MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(member:Entity:KgBuild)
  RETURN member.name AS entity ORDER BY member.degree DESC, member.id LIMIT 1
}
RETURN community.ref AS community, other, entity
