// Reads documents in an order (name, date, size or state), those after a key, with the numbers of
// their chunks by state. Of a name or title, $find is a part in lower case. A key is a text of all that
// its document is sorted by, the source last. So no two keys are equal, and a document that is deleted
// between two pages of the list changes nothing else. Sizes and states are those of chunks, so these
// two orders read the chunks of all documents, and the others only those of the page. A copy has none
// itself.
MATCH (document:Document:KgBuild)
WITH document, coalesce(document.name, document.source) AS name
WHERE toLower(name) CONTAINS $find OR toLower(document.title) CONTAINS $find
WITH document, name, CASE $sort
       WHEN 'date' THEN 99999999 - coalesce(toInteger(left(replace(toStringOrNull(document.meta_date), '-', '') + '0000', 8)), 0)
       WHEN 'size' THEN 999999999999 - coalesce(COLLECT {
         MATCH (document)-[:COPY_OF]->{0,1}(:Document:KgBuild)<-[:PART_OF]-(c:Chunk:KgBuild)
         RETURN max(c.end)
       }[0], 0)
       WHEN 'state' THEN coalesce(COLLECT {
         MATCH (document)-[:COPY_OF]->{0,1}(:Document:KgBuild)<-[:PART_OF]-(c:Chunk:KgBuild)
         RETURN min(CASE WHEN 'failed' IN [c.extraction, c.claims] THEN 0 WHEN c.extraction = 'pending' THEN 1 ELSE 2 END)
       }[0], 2)
       ELSE 0 END AS rank
WITH document, name, right('00000000000' + toString(rank), 12) + '\t' + toLower(name) + '\t' + document.source AS key
WHERE key > $after
ORDER BY key LIMIT $limit
OPTIONAL MATCH (document)-[:COPY_OF]->{0,1}(:Document:KgBuild)<-[:PART_OF]-(chunk:Chunk:KgBuild)
WITH key, document, name, collect(chunk) AS chunks, max(chunk.end) AS end
RETURN document.source AS source, name, document.title AS title, key,
       toStringOrNull(document.meta_date) AS date, size(chunks) AS chunks, coalesce(end, 0) AS characters,
       size([c IN chunks WHERE c.extraction = 'pending']) AS pending,
       size([c IN chunks WHERE 'failed' IN [c.extraction, c.claims]]) AS failed,
       COLLECT { UNWIND chunks AS c UNWIND [c.extraction_error, c.claims_error] AS reason
                 WITH DISTINCT reason WHERE reason IS NOT NULL RETURN reason LIMIT 3 } AS reasons
ORDER BY key
