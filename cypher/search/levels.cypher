// Counts the report tokens of each level, with those of unsplit communities above it: of the reports
// that were written, and of the plain ones, which were made of elements. And whether reports are
// quotations, made without a model.
MATCH (community:Community:KgBuild) WHERE community.report IS NOT NULL
WITH community.level AS level, coalesce(community.origin = 'elements', false) AS plain,
     coalesce(community.origin = 'extractive', false) AS quoted,
     EXISTS { (community)<-[:PARENT]-(:KgBuild) } AS split, sum(coalesce(community.n_tokens, 0)) AS n
WITH max(level) AS deepest, collect({level: level, n: n, plain: plain, split: split, quoted: quoted}) AS groups
UNWIND range(0, coalesce(deepest, -1)) AS level
UNWIND groups AS c
WITH level, c WHERE c.level = level OR (c.level < level AND NOT c.split)
RETURN level, sum(CASE WHEN c.plain THEN 0 ELSE c.n END) AS tokens,
       sum(CASE WHEN c.plain THEN c.n ELSE 0 END) AS plain,
       count(CASE WHEN c.quoted THEN 1 END) > 0 AS quoted
ORDER BY level
