// Reads a document, and of its chunks those that reach beyond a character, the first $limit of them.
MATCH (document:Document:KgBuild {source: $source})
OPTIONAL MATCH (document)-[:COPY_OF]->(original:Document:KgBuild)
WITH document, coalesce(original, document) AS holder
RETURN document.source AS source, coalesce(document.name, document.source) AS name, document.title AS title,
       document.metadata AS metadata, toStringOrNull(document.meta_date) AS date,
       COUNT { (holder)<-[:PART_OF]-(:KgBuild) } AS chunks,
       coalesce(COLLECT { MATCH (holder)<-[:PART_OF]-(c:Chunk:KgBuild) RETURN c.end ORDER BY c.end DESC LIMIT 1 }[0], 0) AS characters,
       COLLECT {
         MATCH (holder)<-[:PART_OF]-(chunk:Chunk:KgBuild) WHERE chunk.end > $at
         WITH chunk ORDER BY chunk.index LIMIT $limit
         RETURN chunk {.ref, .start, .end, .text, .line, .parts, .part_starts}
       } AS near
