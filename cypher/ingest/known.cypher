// Reads the hash and settings of the documents that the graph has.
UNWIND $ids AS id
MATCH (document:Document {id: id})
RETURN document.id AS id, document.content_hash AS content_hash,
       document.cut_with AS cut_with, document.metadata AS metadata
