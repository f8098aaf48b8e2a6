// Removes the mark of entities whose vector was made of the same text.
UNWIND $ids AS id
MATCH (x:Entity {id: id})
REMOVE x.unembedded, x.embedding_error
