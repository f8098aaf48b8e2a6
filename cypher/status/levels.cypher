// Reads the size of each level: its communities, and those above it that are not split.
MATCH (community:Community:KgBuild)
WITH community.level AS own, EXISTS { (community)<-[:PARENT]-(:KgBuild) } AS split,
     community.origin = 'elements' AS plain, count(*) AS communities,
     count(CASE WHEN community.size = 1 THEN 1 END) AS single,
     max(community.size) AS largest, count(community.report) AS reports,
     sum(coalesce(community.n_tokens, 0)) AS tokens
WITH max(own) AS deepest, collect({
  own: own, split: split, plain: plain, communities: communities, single: single, largest: largest,
  reports: reports, tokens: tokens
}) AS groups
UNWIND range(0, coalesce(deepest, -1)) AS level
UNWIND groups AS one
WITH level, one WHERE one.own = level OR (one.own < level AND NOT one.split)
RETURN level, sum(one.communities) AS communities, sum(one.single) AS single, max(one.largest) AS largest,
       sum(one.reports) AS reports,
       sum(CASE WHEN one.plain THEN one.communities ELSE 0 END) AS from_elements,
       sum(one.tokens) AS tokens,
       sum(CASE WHEN one.plain THEN one.tokens ELSE 0 END) AS tokens_from_elements
ORDER BY level
