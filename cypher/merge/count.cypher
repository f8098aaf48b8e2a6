// Counts the entities and pairs that are marked for the stage merge.
RETURN COUNT { MATCH (entity:Entity) WHERE entity.stale = true }
     + COUNT { MATCH ()-[pair:RELATED]->() WHERE pair.stale = true } AS n
