// Removes the mark of nodes whose vector was made of the same text.
UNWIND $ids AS id
MATCH (x:Chunk|Community|Entity {id: id})
REMOVE x.unembedded, x.embedding_error
