// Reads documents in an order (name, date, size or state), those after one of them, with the numbers
// of their chunks by state. Of a name or title, $find is a part in lower case. Each order ends with the
// source, so that no document is between two pages of the list.
MATCH (document:Document:KgBuild)
WHERE toLower(document.name) CONTAINS $find OR toLower(document.title) CONTAINS $find
OPTIONAL MATCH (document)-[:COPY_OF]->(original:Document:KgBuild)
WITH document, coalesce(original, document) AS holder
WITH document, holder, CASE $sort
       WHEN 'date' THEN -coalesce(toInteger(left(replace(toStringOrNull(document.meta_date), '-', '') + '0000', 8)), 0)
       WHEN 'size' THEN -coalesce(COLLECT { MATCH (holder)<-[:PART_OF]-(c:Chunk:KgBuild) RETURN c.end ORDER BY c.end DESC LIMIT 1 }[0], 0)
       WHEN 'state' THEN CASE
         WHEN EXISTS { MATCH (holder)<-[:PART_OF]-(c:Chunk:KgBuild) WHERE 'failed' IN [c.extraction, c.claims] } THEN 0
         WHEN EXISTS { MATCH (holder)<-[:PART_OF]-(c:Chunk:KgBuild) WHERE c.extraction = 'pending' } THEN 1
         ELSE 2 END
       ELSE 0 END AS rank
ORDER BY rank, toLower(document.name), document.source
WITH collect([document, holder]) AS found
WITH found, CASE $after WHEN '' THEN 0
       ELSE coalesce([n IN range(0, size(found) - 1) WHERE found[n][0].source = $after][0] + 1, size(found)) END AS first
UNWIND range(first, first + $limit - 1) AS n
WITH n, found[n][0] AS document, found[n][1] AS holder WHERE document IS NOT NULL
OPTIONAL MATCH (holder)<-[:PART_OF]-(chunk:Chunk:KgBuild)
WITH n, document, collect(chunk) AS chunks, max(chunk.end) AS end
RETURN document.source AS source, coalesce(document.name, document.source) AS name, document.title AS title,
       toStringOrNull(document.meta_date) AS date, size(chunks) AS chunks, coalesce(end, 0) AS characters,
       size([c IN chunks WHERE c.extraction = 'pending']) AS pending,
       size([c IN chunks WHERE 'failed' IN [c.extraction, c.claims]]) AS failed,
       COLLECT { UNWIND chunks AS c UNWIND [c.extraction_error, c.claims_error] AS reason
                 WITH DISTINCT reason WHERE reason IS NOT NULL RETURN reason LIMIT 3 } AS reasons
ORDER BY n
