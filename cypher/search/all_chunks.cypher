// Reads a page of all chunks in the order of their refs.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.ref > $after
WITH chunk ORDER BY chunk.ref LIMIT $limit
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text,
       COLLECT { MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild) RETURN document.meta_date }[0] AS date
