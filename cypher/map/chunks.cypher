// Reads the chunks with their texts and places.
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
RETURN chunk.ref AS ref, document.title AS document, document.source AS source,
       chunk.start AS start, chunk.text AS text
ORDER BY source, start
