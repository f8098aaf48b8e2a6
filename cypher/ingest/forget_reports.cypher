// Marks communities for reports without what these documents say, which are being deleted: the
// communities of the entities of the documents, those that stayed behind when such an entity left
// them, and all communities above.
UNWIND $documents AS id
MATCH (:Document {id: id})<-[:PART_OF]-(:Chunk:KgBuild)-[:MENTIONS]->(entity:Entity:KgBuild)
WITH collect(DISTINCT entity) AS entities
CALL (entities) {
  UNWIND entities AS entity
  MATCH (entity)-[:IN_COMMUNITY]->(community:Community:KgBuild)
  RETURN community
  UNION
  MATCH (community:Community:KgBuild)
  WHERE community.behind > 0
    AND any(entity IN entities WHERE entity.id IN community.former_members)
  RETURN community
}
WITH DISTINCT community
MATCH (community) (()-[:PARENT]->(:KgBuild))* (above:Community:KgBuild)
SET above.stale = true, above.forgetting = true
