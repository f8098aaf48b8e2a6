// Reads what failed, with the reasons, in the order of the stages.
// `id > ''` and `ref >= 0` are always true; an index of two properties serves only a search by
// both. A document without a content hash lacks some of its chunks.
CALL () {
  MATCH (document:Document:KgBuild) WHERE document.content_hash = ''
  RETURN 1 AS at, 'ingest' AS stage, document.source AS what, document.source AS place,
         'a run writes or deletes it, or was interrupted: repeat the command of that run' AS reason
  UNION ALL
  MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction = 'failed' AND chunk.ref >= 0
  MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild)
  RETURN 2 AS at, 'extract' AS stage, 'chunk ' + chunk.index + ' of ' + document.source AS what,
         chunk.ref AS place, chunk.extraction_error AS reason
  UNION ALL
  MATCH (chunk:Chunk:KgBuild) WHERE chunk.claims = 'failed' AND chunk.ref >= 0
  MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild)
  RETURN 3 AS at, 'claims' AS stage, 'chunk ' + chunk.index + ' of ' + document.source AS what,
         chunk.ref AS place, chunk.claims_error AS reason
  UNION ALL
  MATCH (entity:Entity:KgBuild)
  WHERE entity.uncompared = true AND entity.compare_error IS NOT NULL
  RETURN 4 AS at, 'compare' AS stage, entity.name AS what, entity.name AS place,
         entity.compare_error AS reason
  UNION ALL
  MATCH (entity:Entity:KgBuild)
  WHERE entity.undescribed = true AND entity.id > '' AND entity.description_error IS NOT NULL
  RETURN 5 AS at, 'summarize' AS stage, entity.name AS what, entity.name AS place,
         entity.description_error AS reason
  UNION ALL
  MATCH (a:Entity:KgBuild)-[pair:RELATED]->(b:Entity:KgBuild)
  WHERE pair.undescribed = true AND pair.id > '' AND pair.description_error IS NOT NULL
  RETURN 6 AS at, 'summarize' AS stage, a.name + ' and ' + b.name AS what, a.name AS place,
         pair.description_error AS reason
  UNION ALL
  MATCH (community:Community:KgBuild)
  WHERE community.stale = true AND community.report_error IS NOT NULL
  RETURN 7 AS at, 'reports' AS stage,
         coalesce(community.title, 'community ' + community.ref) AS what,
         [community.level, community.id] AS place, community.report_error AS reason
  UNION ALL
  MATCH (x:Entity:KgBuild) WHERE x.unembedded = true AND x.id > '' AND x.embedding_error IS NOT NULL
  RETURN 8 AS at, 'embed' AS stage, x.name AS what, x.name AS place, x.embedding_error AS reason
  UNION ALL
  MATCH (x:Chunk:KgBuild) WHERE x.unembedded = true AND x.id > '' AND x.embedding_error IS NOT NULL
  MATCH (x)-[:PART_OF]->(document:Document:KgBuild)
  RETURN 9 AS at, 'embed' AS stage, 'chunk ' + x.index + ' of ' + document.source AS what,
         x.ref AS place, x.embedding_error AS reason
  UNION ALL
  MATCH (x:Community:KgBuild)
  WHERE x.unembedded = true AND x.id > '' AND x.embedding_error IS NOT NULL
  RETURN 10 AS at, 'embed' AS stage, coalesce(x.title, 'community ' + x.ref) AS what,
         x.id AS place, x.embedding_error AS reason
}
RETURN stage, what, reason ORDER BY at, place
