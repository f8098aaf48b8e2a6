// Writes documents as they are now.
UNWIND $rows AS row
MERGE (document:Document {id: row.id})
SET document = row
