// How many entities and pairs wait for a look at their description.
RETURN COUNT { MATCH (entity:Entity) WHERE entity.undescribed = true }
     + COUNT { MATCH ()-[pair:RELATED]->() WHERE pair.undescribed = true } AS n
