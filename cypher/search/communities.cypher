// Reads communities by id, with their reports.
MATCH (community:Community:KgBuild) WHERE community.id IN $ids AND community.report IS NOT NULL
RETURN community.id AS id, community.ref AS ref, community.title AS title,
       community.summary AS summary, community.report AS report,
       community.n_tokens AS n_tokens
