// Reads the properties and relationship types that this database has names for.
CALL () {
  CALL db.propertyKeys() YIELD propertyKey AS name RETURN name
  UNION
  CALL db.relationshipTypes() YIELD relationshipType AS name RETURN name
}
RETURN collect(name) AS names
