// Counts the entities and pairs that are marked for a description.
RETURN COUNT { MATCH (entity:Entity) WHERE entity.undescribed = true }
     + COUNT { MATCH ()-[pair:RELATED]->() WHERE pair.undescribed = true } AS n
