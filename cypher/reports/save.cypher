// Saves reports of communities, and marks the parent where the context or the text has changed.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
WITH community, row,
  coalesce(community.report <> row.properties.report, true) AS changed,
  coalesce(community.report_hash <> row.properties.report_hash, true) AS fresh
SET community += row.properties
REMOVE community.stale, community.report_error, community.behind, community.forgetting
WITH community, changed, fresh
CALL (community, changed) {
  WITH community, changed WHERE changed
  SET community.unembedded = true
}
CALL (community, changed, fresh) {
  WITH community, changed, fresh WHERE changed OR fresh
  MATCH (community)-[:PARENT]->(parent:Community)
  SET parent.stale = true
}
