// Reads the chunks with their texts and places.
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
RETURN chunk.ref AS ref, coalesce(document.name, document.source) AS name,
       coalesce(document.title, '') AS title, document.source AS source, chunk.start AS start,
       chunk.text AS text, chunk.line AS line, coalesce(chunk.parts, []) AS parts,
       coalesce(chunk.part_starts, []) AS part_starts
ORDER BY source, start
