// Counts the chunks and the documents that mention each entity with an id in a range.
MATCH (entity:Entity) WHERE $after < entity.id <= $last
RETURN entity.id AS id, entity.name AS name, COUNT { (entity)<-[:MENTIONS]-() } AS n,
       COUNT { MATCH (entity)<-[:MENTIONS]-()-[:PART_OF]->(document) RETURN DISTINCT document }
       AS documents
