// Reads the communities of a level, and those above it that are not split.
MATCH (community:Community:KgBuild)
WHERE community.report IS NOT NULL
  AND (community.level = $level
       OR (community.level < $level AND NOT EXISTS { (community)<-[:PARENT]-(:KgBuild) }))
RETURN community.id AS id, community.ref AS ref, community.title AS title,
       community.summary AS summary, community.report AS report,
       community.n_tokens AS n_tokens, community.origin = 'elements' AS plain
ORDER BY id
