// Keeps those of some chunks that belong to selected documents.
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
WHERE chunk.id IN $ids AND document.id IN $documents
RETURN chunk.id AS id
