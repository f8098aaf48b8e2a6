// Counts the communities that are marked for a report, and finds the deepest level.
OPTIONAL MATCH (community:Community:KgBuild)
RETURN count(CASE WHEN community.stale THEN 1 END) AS n, max(community.level) AS deepest
