// Gives the database names of properties, though nothing has such a property yet.
UNWIND $names AS name
CALL db.createProperty(name)
