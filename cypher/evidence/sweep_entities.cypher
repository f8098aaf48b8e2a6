// Removes those of these entities that no chunk mentions any more.
UNWIND $entities AS id
MATCH (entity:Entity {id: id})
WHERE NOT EXISTS { (entity)<-[:MENTIONS]-() }
DETACH DELETE entity
