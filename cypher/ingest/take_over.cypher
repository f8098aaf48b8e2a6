// Gives the chunks of documents that are to be changed or deleted to a copy of each. The hash of such
// a document shows that its own chunks are missing.
UNWIND $documents AS id
MATCH (document:Document {id: id})<-[old:COPY_OF]-(copy:Document:KgBuild)
WHERE NOT copy.id IN $documents
WITH document, old, copy ORDER BY copy.source
WITH document, collect(old) AS olds, collect(copy) AS copies
WITH document, olds, copies[0] AS heir, copies[1..] AS others
SET heir.id_document = coalesce(document.id_document, document.id),
    heir.id_header = document.id_header, heir.cut_with = document.cut_with,
    document.content_hash = ''
FOREACH (one IN olds | DELETE one)
FOREACH (other IN others | MERGE (other)-[:COPY_OF]->(heir))
WITH document, heir
MATCH (document)<-[part:PART_OF]-(chunk:Chunk:KgBuild)
DELETE part
CREATE (chunk)-[:PART_OF]->(heir)
SET chunk.document = heir.id
