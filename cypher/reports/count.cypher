// How many communities wait for a report, and the deepest level of any community.
OPTIONAL MATCH (community:Community)
RETURN count(CASE WHEN community.stale THEN 1 END) AS n, max(community.level) AS deepest
