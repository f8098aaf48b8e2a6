// Reads entities by id.
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
RETURN id, entity.name AS name, entity.type AS type
