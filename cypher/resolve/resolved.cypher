// Removes the marks of entities and spellings whose spellings have been compared.
UNWIND $ids AS id
OPTIONAL MATCH (entity:Entity {id: id})
OPTIONAL MATCH (spelling:Spelling {id: id})
REMOVE entity.unresolved, spelling.unresolved
