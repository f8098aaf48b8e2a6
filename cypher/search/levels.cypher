// Counts the report tokens of each level, with those of unsplit communities above it.
MATCH (community:Community) WHERE community.report IS NOT NULL
WITH max(community.level) AS deepest,
     collect({level: community.level, n: coalesce(community.n_tokens, 0),
              split: EXISTS { (community)<-[:PARENT]-() }}) AS communities
UNWIND range(0, coalesce(deepest, -1)) AS level
UNWIND communities AS c
WITH level, c WHERE c.level = level OR (c.level < level AND NOT c.split)
RETURN level, sum(c.n) AS tokens ORDER BY level
