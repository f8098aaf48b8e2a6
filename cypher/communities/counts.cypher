// Counts the chunks and the documents that mention each entity.
MATCH (entity:Entity)
RETURN entity.id AS id, entity.name AS name, COUNT { (entity)<-[:MENTIONS]-() } AS n,
       COUNT { MATCH (entity)<-[:MENTIONS]-()-[:PART_OF]->(document) RETURN DISTINCT document }
       AS documents
