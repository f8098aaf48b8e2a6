// Registers relationship types in the database before such a relationship exists.
UNWIND $names AS name
CALL db.createRelationshipType(name)
