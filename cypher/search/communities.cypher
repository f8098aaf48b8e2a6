// Reads communities by id, with their reports, their number of members and what is above them.
MATCH (community:Community:KgBuild) WHERE community.id IN $ids AND community.report IS NOT NULL
RETURN community.id AS id, community.ref AS ref, community.title AS title,
       community.summary AS summary, community.report AS report,
       community.n_tokens AS n_tokens, community.size AS size,
       COLLECT { MATCH (community) (()-[:PARENT]->(:KgBuild))+ (up) RETURN up.id } AS above
