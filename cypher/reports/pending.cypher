// Reads a page of marked communities of one level in the order of their ids.
MATCH (community:Community)
WHERE community.stale = true AND community.level = $level AND community.id > $after
RETURN community.id AS id, community.size AS size, community.report_hash AS hash
ORDER BY id LIMIT $limit
