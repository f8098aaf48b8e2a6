// Marks communities for reports without what these documents say, which are being deleted: the
// communities that contain an entity of the documents, or cite it, and all communities above.
UNWIND $documents AS id
MATCH (:Document {id: id})<-[:PART_OF]-(:Chunk)-[:MENTIONS]->(entity:Entity)
WITH DISTINCT entity
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->(community:Community)
  RETURN community
  UNION
  MATCH (entity)<-[:CITES]-(:Finding)<-[:HAS_FINDING]-(community:Community)
  RETURN community
}
WITH DISTINCT community
MATCH (community)-[:PARENT*0..]->(above:Community)
SET above.stale = true, above.forgetting = true
