// Reads communities by id as a global search needs them.
MATCH (community:Community:KgBuild) WHERE community.id IN $ids
RETURN community.id AS id, community.ref AS ref, community.title AS title,
       community.summary AS summary, community.report AS report, community.n_tokens AS n_tokens,
       community.origin = 'elements' AS plain
ORDER BY id
