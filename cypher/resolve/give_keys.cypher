// Saves the keys by which the names of entities are found.
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
SET entity.key = row.key, entity.first_word = row.first_word, entity.last_word = row.last_word,
    entity.initials = row.initials
REMOVE entity.keyless
