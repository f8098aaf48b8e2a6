// Gives the database names of relationship types, though there is no such relationship yet.
UNWIND $names AS name
CALL db.createRelationshipType(name)
