// Counts the pending items of each stage, failed items included.
// `id > ''` and `ref >= 0` are always true; an index of two properties serves only a search by
// both.
RETURN COUNT { MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction = 'pending' AND chunk.ref >= 0 }
     + COUNT { MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction = 'failed' AND chunk.ref >= 0 }
       AS extract,
       COUNT { MATCH (chunk:Chunk:KgBuild) WHERE chunk.claims = 'pending' AND chunk.ref >= 0 }
     + COUNT { MATCH (chunk:Chunk:KgBuild) WHERE chunk.claims = 'failed' AND chunk.ref >= 0 } AS claims,
       COUNT { MATCH (entity:Entity:KgBuild) WHERE entity.stale = true }
     + COUNT { MATCH (:KgBuild)-[pair:RELATED]->(:KgBuild) WHERE pair.stale = true } AS merge,
       COUNT { MATCH (x:Entity:KgBuild) WHERE x.unresolved = true }
     + COUNT { MATCH (x:Spelling:KgBuild) WHERE x.unresolved = true }
     + COUNT { MATCH (x:Entity:KgBuild) WHERE x.uncompared = true } AS resolve,
       COUNT { MATCH (entity:Entity:KgBuild) WHERE entity.undescribed = true AND entity.id > '' }
     + COUNT { MATCH (:KgBuild)-[pair:RELATED]->(:KgBuild) WHERE pair.undescribed = true AND pair.id > '' }
       AS summarize,
       COUNT { MATCH (community:Community:KgBuild) WHERE community.stale = true } AS reports,
       COUNT { MATCH (x:Entity:KgBuild) WHERE x.unembedded = true AND x.id > '' }
     + COUNT { MATCH (x:Chunk:KgBuild) WHERE x.unembedded = true AND x.id > '' }
     + COUNT { MATCH (x:Community:KgBuild) WHERE x.unembedded = true AND x.id > '' } AS embed
