// Removes the mark of chunks whose vector was made of the same text.
UNWIND $ids AS id
MATCH (x:Chunk {id: id})
REMOVE x.unembedded, x.embedding_error
