// Counts by kind the texts and vectors that the next index makes anew, since their material changed,
// and the batches that it collects.
// `id > ''` is always true; the index holds both properties, so it serves only a search by both.
RETURN 'Entity' AS kind, 'descriptions to renew' AS what,
       COUNT { MATCH (x:Entity:KgBuild) WHERE x.stale = true OR x.undescribed = true AND x.id > '' } AS n
UNION ALL
RETURN 'RELATED' AS kind, 'descriptions to renew' AS what,
       COUNT { MATCH (:KgBuild)-[x:RELATED]->(:KgBuild)
               WHERE x.stale = true OR x.undescribed = true AND x.id > '' } AS n
UNION ALL
RETURN 'Community' AS kind, 'reports to renew' AS what,
       COUNT { MATCH (x:Community:KgBuild) WHERE x.stale = true } AS n
UNION ALL
MATCH (x:Chunk:KgBuild) WHERE x.unembedded = true AND x.id > '' AND x.embedding IS NOT NULL
RETURN 'Chunk' AS kind, 'vectors to renew' AS what, count(x) AS n
UNION ALL
MATCH (x:Entity:KgBuild) WHERE x.unembedded = true AND x.id > '' AND x.embedding IS NOT NULL
RETURN 'Entity' AS kind, 'vectors to renew' AS what, count(x) AS n
UNION ALL
MATCH (x:Community:KgBuild) WHERE x.unembedded = true AND x.id > '' AND x.embedding IS NOT NULL
RETURN 'Community' AS kind, 'vectors to renew' AS what, count(x) AS n
UNION ALL
RETURN 'Batch' AS kind, 'batches whose files the provider has' AS what,
       COUNT { MATCH (:Batch:KgBuild) } AS n
