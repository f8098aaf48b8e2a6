// Reads what documents say of themselves, and the texts of all chunks with their headers, each with
// the source of its document; null where that is gone.
MATCH (document:Document:KgBuild)
RETURN document.source AS source,
       coalesce(document.title, '') + '\n' + coalesce(document.name, '') + '\n'
       + coalesce(document.metadata, '') + '\n' + document.source AS text
UNION ALL
MATCH (chunk:Chunk:KgBuild)
OPTIONAL MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild)
RETURN document.source AS source, coalesce(chunk.header + '\n', '') + chunk.text AS text
