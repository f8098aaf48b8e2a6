// The documents, with the numbers of their chunks and of the entities that they mention.
MATCH (document:Document)<-[:PART_OF]-(chunk:Chunk)
RETURN document.name AS document, document.title AS title, count(chunk) AS chunks,
       COUNT { MATCH (document)<-[:PART_OF]-()-[:MENTIONS]->(entity:Entity)
               RETURN DISTINCT entity } AS entities,
       document.source AS source
ORDER BY entities DESC, source LIMIT 100
