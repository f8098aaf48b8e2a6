// Gives documents the hash of a document whose chunks are not complete.
UNWIND $documents AS id
MATCH (document:Document {id: id})
SET document.content_hash = $content_hash
