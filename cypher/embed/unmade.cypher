// There are no vectors any more.
MATCH (counter:Counter {id: 'refs'})
REMOVE counter.embedding_model, counter.dimensions
