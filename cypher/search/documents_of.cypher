// Finds the documents with most of some chunks.
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild) WHERE chunk.id IN $ids
RETURN document.source AS document, count(chunk) AS n ORDER BY n DESC, document LIMIT $most
