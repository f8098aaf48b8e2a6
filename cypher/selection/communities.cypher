// Finds the communities with an up-to-date report, and with up-to-date reports of all their parts,
// whose members no chunk of another document mentions; each with the communities above it. They are
// those above $entities, or all where this is null. A member whose evidence has changed since the
// last merge is no member whose report is up to date.
CALL () {
  WITH $entities AS ids WHERE ids IS NULL
  MATCH (community:Community:KgBuild)
  RETURN community
  UNION
  UNWIND $entities AS id
  MATCH (:Entity {id: id})-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (community:Community:KgBuild)
  RETURN community
}
WITH community
WHERE community.report IS NOT NULL
  AND NOT EXISTS {
    MATCH (community) (()<-[:PARENT]-(:KgBuild))* (part:Community:KgBuild) WHERE part.stale OR part.behind > 0
  }
  AND NOT EXISTS {
    MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(:Entity:KgBuild)
          <-[:MENTIONS]-(:Chunk:KgBuild)-[:PART_OF]->(other:Document:KgBuild)
    WHERE NOT other.id IN $documents
  }
  AND community.size = COUNT {
    MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(member:Entity:KgBuild)
    WHERE NOT coalesce(member.stale, false)
  }
RETURN community.id AS id, COLLECT { MATCH (community) (()-[:PARENT]->(:KgBuild))+ (up) RETURN up.id } AS above
ORDER BY id
