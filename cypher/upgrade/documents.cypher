// Reads a page of documents after the id $after that have no name yet, with the texts of their chunks.
// `header` is what schema version 1 put before each chunk, and what the ids of its chunks depend on.
MATCH (document:Document:KgBuild) WHERE document.name IS NULL AND document.id > $after
WITH document ORDER BY document.id LIMIT $limit
RETURN document.id AS id, document.source AS source, document.title AS title,
       document.metadata AS metadata, document.reader IS NOT NULL AS parsed,
       document.header AS header,
       COLLECT {
         MATCH (document)<-[:PART_OF]-(chunk:Chunk:KgBuild)
         WITH chunk ORDER BY chunk.index
         RETURN chunk {.id, .start, .end, .text}
       } AS chunks
ORDER BY id
