// Reads chunks by ref, with their documents and their places in these.
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild) WHERE chunk.ref IN $refs
RETURN document.source AS document, document.title AS title, chunk.ref AS chunk,
       chunk.start AS start, chunk.start + size(chunk.text) AS end, chunk.text AS text,
       document.metadata AS metadata
