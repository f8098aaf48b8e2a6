// Reads communities by id as a global search needs them; `quoted`: the report is of quotations.
MATCH (community:Community:KgBuild) WHERE community.id IN $ids
RETURN community.id AS id, community.ref AS ref, community.title AS title,
       community.summary AS summary, community.report AS report, community.n_tokens AS n_tokens,
       community.origin = 'elements' AS plain, community.level AS level,
       community.origin = 'extractive' AS quoted,
       reduce(n = 0, d IN COLLECT {
         MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(e:KgBuild)
         RETURN e.degree
       } | n + d) AS connected
ORDER BY id
