// Removes the mark of communities whose vector was made of the same text.
UNWIND $ids AS id
MATCH (x:Community {id: id})
REMOVE x.unembedded, x.embedding_error
