// How many elements wait to be merged, and to be described.
RETURN COUNT { MATCH (entity:Entity) WHERE entity.stale = true }
     + COUNT { MATCH ()-[pair:RELATED]->() WHERE pair.stale = true } AS merge,
       COUNT { MATCH (entity:Entity) WHERE entity.undescribed = true }
     + COUNT { MATCH ()-[pair:RELATED]->() WHERE pair.undescribed = true } AS summarize
