// Registers names of properties in the database before a node has such a property.
UNWIND $names AS name
CALL db.createProperty(name)
