// Counts the report tokens of each level, with those of unsplit communities above it: of the reports
// that were written, and of the plain ones, which were made of elements.
MATCH (community:Community) WHERE community.report IS NOT NULL
WITH max(community.level) AS deepest,
     collect({level: community.level, n: coalesce(community.n_tokens, 0),
              plain: coalesce(community.origin = 'elements', false),
              split: EXISTS { (community)<-[:PARENT]-() }}) AS communities
UNWIND range(0, coalesce(deepest, -1)) AS level
UNWIND communities AS c
WITH level, c WHERE c.level = level OR (c.level < level AND NOT c.split)
RETURN level, sum(CASE WHEN c.plain THEN 0 ELSE c.n END) AS tokens,
       sum(CASE WHEN c.plain THEN c.n ELSE 0 END) AS plain
ORDER BY level
