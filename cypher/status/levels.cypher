// Reads the size of each level: its communities, and those above it that are not split.
MATCH (community:Community)
WITH max(community.level) AS deepest,
     collect({c: community, split: EXISTS { (community)<-[:PARENT]-() }}) AS communities
UNWIND range(0, coalesce(deepest, -1)) AS level
UNWIND communities AS one
WITH level, one.c AS community
WHERE community.level = level OR (community.level < level AND NOT one.split)
WITH level, community, coalesce(community.n_tokens, 0) AS n_tokens,
     community.origin = 'elements' AS plain
RETURN level, count(*) AS communities, max(community.size) AS largest,
       count(community.report) AS reports, count(CASE WHEN plain THEN 1 END) AS from_elements,
       sum(n_tokens) AS tokens, sum(CASE WHEN plain THEN n_tokens ELSE 0 END) AS tokens_from_elements
ORDER BY level
