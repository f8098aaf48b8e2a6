// Reads the sources of the documents of chunks.
UNWIND $chunks AS id
MATCH (:Chunk {id: id})-[:PART_OF]->(document:Document:KgBuild)
RETURN id AS chunk, document.source AS source
