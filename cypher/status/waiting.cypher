// Counts the pending items of each stage, failed items included.
RETURN COUNT { MATCH (chunk:Chunk) WHERE chunk.extraction = 'pending' }
     + COUNT { MATCH (chunk:Chunk) WHERE chunk.extraction = 'failed' } AS extract,
       COUNT { MATCH (chunk:Chunk) WHERE chunk.claims = 'pending' }
     + COUNT { MATCH (chunk:Chunk) WHERE chunk.claims = 'failed' } AS claims,
       COUNT { MATCH (entity:Entity) WHERE entity.stale = true }
     + COUNT { MATCH ()-[pair:RELATED]->() WHERE pair.stale = true } AS merge,
       COUNT { MATCH (x:Entity) WHERE x.unresolved = true }
     + COUNT { MATCH (x:Spelling) WHERE x.unresolved = true }
     + COUNT { MATCH (x:Entity) WHERE x.uncompared = true } AS resolve,
       COUNT { MATCH (entity:Entity) WHERE entity.undescribed = true }
     + COUNT { MATCH ()-[pair:RELATED]->() WHERE pair.undescribed = true } AS summarize,
       COUNT { MATCH (community:Community) WHERE community.stale = true } AS reports,
       COUNT { MATCH (x:Entity) WHERE x.unembedded = true }
     + COUNT { MATCH (x:Chunk) WHERE x.unembedded = true }
     + COUNT { MATCH (x:Community) WHERE x.unembedded = true } AS embed
