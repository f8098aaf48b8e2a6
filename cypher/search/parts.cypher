// Reads the sub-communities of communities, with their reports.
MATCH (community:Community:KgBuild)-[:PARENT]->(parent:Community:KgBuild)
WHERE parent.id IN $ids AND community.report IS NOT NULL
RETURN parent.id AS parent, community.id AS id, community.ref AS ref, community.title AS title,
       community.summary AS summary, community.report AS report,
       community.n_tokens AS n_tokens,
       community.origin = 'elements' AS plain
ORDER BY id
