// Writes the present state of documents.
UNWIND $rows AS row
MERGE (document:Document {id: row.id})
SET document = row
