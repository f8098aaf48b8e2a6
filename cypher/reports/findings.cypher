// Replaces the findings of reports.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
CALL (community) {
  MATCH (community)-[:HAS_FINDING]->(old:Finding:KgBuild)
  DETACH DELETE old
}
WITH community, row
UNWIND row.findings AS finding
CREATE (community)-[:HAS_FINDING]->(:Finding:KgBuild {
  id: finding.id, index: finding.index, summary: finding.summary,
  explanation: finding.explanation, relationships: finding.relationships
})
