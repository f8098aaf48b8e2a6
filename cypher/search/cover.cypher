// Reads the communities of a level, and those above it that are not split; with the degrees of
// their members, and their similarity to a vector if one is given.
MATCH (community:Community:KgBuild)
WHERE community.report IS NOT NULL
  AND (community.level = $level
       OR (community.level < $level AND NOT EXISTS { (community)<-[:PARENT]-(:KgBuild) }))
RETURN community.id AS id, community.ref AS ref, community.title AS title,
       community.summary AS summary, community.report AS report,
       community.n_tokens AS n_tokens,
       community.origin = 'elements' AS plain, community.level AS level,
       CASE WHEN community.origin = 'elements'
         THEN reduce(n = 0, d IN [(community)<-[:IN_COMMUNITY]-(e:KgBuild) | e.degree] | n + d)
       END AS connected,
       CASE WHEN $vector IS NOT NULL AND community.embedding IS NOT NULL
         THEN vector.similarity.cosine(community.embedding, $vector) END AS nearness
ORDER BY id
