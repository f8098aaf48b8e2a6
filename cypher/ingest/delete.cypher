// Removes documents, whose chunks are gone already.
UNWIND $documents AS id
MATCH (document:Document {id: id})
DETACH DELETE document
