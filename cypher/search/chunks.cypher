// Reads chunks by id.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.id IN $ids
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text,
       COLLECT { MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild) RETURN document.meta_date }[0] AS date
