// The chunks with their text and place.
MATCH (chunk:Chunk)-[:PART_OF]->(document:Document)
RETURN chunk.ref AS ref, document.title AS document, document.source AS source,
       chunk.start AS start, chunk.text AS text
ORDER BY source, start
