// Reads a page of marked communities of one level in the order of their ids, with their reports
// and the pieces of the material that the reports were written from.
MATCH (community:Community:KgBuild)
WHERE community.stale = true AND community.level = $level AND community.id > $after
RETURN community.id AS id, community.size AS size, community.report_hash AS hash,
       community.report AS report, community.report_with AS made_with,
       coalesce(community.forgetting, false) AS forgetting,
       community.material_hashes AS pieces, community.material_tokens AS tokens
ORDER BY id LIMIT $limit
