// Reads documents after a source, with the numbers of their chunks by state.
MATCH (document:Document:KgBuild) WHERE document.source > $after
WITH document ORDER BY document.source LIMIT $limit
OPTIONAL MATCH (document)-[:COPY_OF*0..1]->(:KgBuild)<-[:PART_OF]-(chunk:Chunk:KgBuild)
WITH document, collect(chunk) AS chunks
RETURN document.source AS source, document.title AS title, size(chunks) AS chunks,
       size([c IN chunks WHERE c.extraction = 'pending']) AS pending,
       size([c IN chunks WHERE 'failed' IN [c.extraction, c.claims]]) AS failed,
       COLLECT { UNWIND chunks AS c UNWIND [c.extraction_error, c.claims_error] AS reason
                 WITH DISTINCT reason WHERE reason IS NOT NULL RETURN reason LIMIT 3 } AS reasons
ORDER BY source
