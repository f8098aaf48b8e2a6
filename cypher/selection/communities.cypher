// Finds the communities with an up-to-date report, and with up-to-date reports of all their parts,
// whose members no chunk of another document mentions; each with the communities above it. A member
// whose evidence has changed since the last merge is no member whose report is up to date.
MATCH (document:Document:KgBuild)<-[:PART_OF]-(:Chunk)-[:MENTIONS]->(entity:Entity)
WHERE document.id IN $documents
WITH DISTINCT entity
WHERE NOT EXISTS {
  MATCH (entity)<-[:MENTIONS]-(:Chunk)-[:PART_OF]->(other:Document)
  WHERE NOT other.id IN $documents
}
MATCH (entity)-[:IN_COMMUNITY]->()-[:PARENT*0..]->(community:Community)
WITH community, count(entity) AS own
WHERE community.report IS NOT NULL AND community.size = own
  AND own = COUNT {
    MATCH (community)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(member:Entity)
    WHERE NOT coalesce(member.stale, false)
  }
  AND NOT EXISTS {
    MATCH (community)<-[:PARENT*0..]-(part:Community) WHERE part.stale OR part.behind > 0
  }
RETURN community.id AS id, COLLECT { MATCH (community)-[:PARENT*1..]->(up) RETURN up.id } AS above
ORDER BY id
