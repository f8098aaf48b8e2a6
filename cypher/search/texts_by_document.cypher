// Reads a page of all chunks in the order of their refs, each with its document.
MATCH (chunk:Chunk)-[:PART_OF]->(document:Document) WHERE chunk.ref > $after
WITH chunk, document ORDER BY chunk.ref LIMIT $limit
RETURN chunk.ref AS ref, chunk.text AS text, document.source AS document
