// Reads the types of relationships of another database, each with some properties of relationships.
CALL db.relationshipTypes() YIELD relationshipType AS type
WITH type, COLLECT { MATCH ()-[r:$(type)]->() RETURN properties(r) LIMIT $limit } AS sample
WHERE sample <> []
RETURN type, sample ORDER BY type
