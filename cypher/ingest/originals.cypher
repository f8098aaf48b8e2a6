// Reads for documents that are to be written which other document has their text and headers, and
// whether the ids that their chunks would get belong to another document, or will: a copy of a
// document that changes takes its chunks over.
UNWIND $rows AS row
OPTIONAL MATCH (original:Document:KgBuild {copy_hash: row.copy_hash})
WHERE (row.is_new OR NOT original.id IN $ids) AND original.content_hash <> ''
  AND NOT EXISTS { (original)-[:COPY_OF]->(:KgBuild) }
WITH row, original ORDER BY original.source
WITH row, collect(original)[0] AS original
RETURN row.id AS id, original.id AS original,
       EXISTS {
         MATCH (other:Document:KgBuild {id_document: row.id_document}) WHERE other.id <> row.id
       } OR EXISTS { (:Document {id: row.id})<-[:COPY_OF]-(:KgBuild) } AS taken
