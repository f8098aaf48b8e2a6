// How many entities and pairs are out of date.
RETURN COUNT { MATCH (entity:Entity) WHERE entity.stale = true }
     + COUNT { MATCH ()-[pair:RELATED]->() WHERE pair.stale = true } AS n
