// Marked entities whose vector was made of just this text.
UNWIND $ids AS id
MATCH (x:Entity {id: id})
REMOVE x.unembedded, x.embedding_error
