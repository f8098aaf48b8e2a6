// Writes the present state of documents.
UNWIND $rows AS row
MERGE (document:Document:KgBuild {id: row.id})
SET document = row
