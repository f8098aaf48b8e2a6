// Counts the documents and the members of communities. A document counts if it mentions at least
// two of the members (or the only one), and one of twenty.
UNWIND $refs AS ref
MATCH (community:Community:KgBuild {ref: ref})
CALL (community) {
  MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(member:Entity:KgBuild)
  RETURN collect(member) AS members
}
CALL (members) {
  UNWIND members AS member
  MATCH (member)<-[:MENTIONS]-(:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
  WITH document, count(DISTINCT member) AS named, size(members) AS all
  WHERE (named > 1 OR all = 1) AND named >= all / 20.0
  RETURN count(document) AS documents
}
RETURN ref, size(members) AS members, documents
