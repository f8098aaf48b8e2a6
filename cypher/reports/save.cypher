// Saves reports of communities, and marks the parent where the context or the text has changed.
// The report of the parent may still tell about the former members of the community.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
WITH community, row,
  coalesce(community.report <> row.properties.report, true) AS changed,
  coalesce(community.report_hash <> row.properties.report_hash, true) AS fresh,
  coalesce(community.former_members, []) AS former
SET community += row.properties
REMOVE community.stale, community.report_error, community.behind, community.forgetting,
       community.former_members
WITH community, changed, fresh, former
CALL (community, changed) {
  WITH community, changed WHERE changed
  SET community.unembedded = true
}
CALL (community, changed, fresh, former) {
  WITH community, changed, fresh, former WHERE changed OR fresh
  MATCH (community)-[:PARENT]->(parent:Community:KgBuild)
  SET parent.stale = true,
      parent.former_members = CASE WHEN former = [] THEN parent.former_members
        ELSE coalesce(parent.former_members, []) + former END
}
