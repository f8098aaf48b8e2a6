// Counts the report tokens of each level, with those of unsplit communities above it.
MATCH (community:Community:KgBuild) WHERE community.report IS NOT NULL
WITH community.level AS level, EXISTS { (community)<-[:PARENT]-(:KgBuild) } AS split,
     sum(coalesce(community.n_tokens, 0)) AS n
WITH max(level) AS deepest, collect({level: level, n: n, split: split}) AS groups
UNWIND range(0, coalesce(deepest, -1)) AS level
UNWIND groups AS c
WITH level, c WHERE c.level = level OR (c.level < level AND NOT c.split)
RETURN level, sum(c.n) AS tokens
ORDER BY level
