// Removes documents whose chunks have already been removed.
UNWIND $documents AS id
MATCH (document:Document {id: id})
DETACH DELETE document
