// Removes the marks of entities whose names have been compared.
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
REMOVE entity.uncompared, entity.compare_error
