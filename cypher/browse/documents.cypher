// The documents, with how many chunks they have and how many entities they name.
MATCH (document:Document)<-[:PART_OF]-(chunk:Chunk)
RETURN document.title AS document, count(chunk) AS chunks,
       COUNT { MATCH (document)<-[:PART_OF]-()-[:MENTIONS]->(entity:Entity)
               RETURN DISTINCT entity } AS entities,
       document.source AS source
ORDER BY entities DESC, source LIMIT 100
