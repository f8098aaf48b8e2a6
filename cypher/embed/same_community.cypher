// Marked communities whose vector was made of just this text.
UNWIND $ids AS id
MATCH (x:Community {id: id})
REMOVE x.unembedded, x.embedding_error
