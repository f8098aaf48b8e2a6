// Keeps what the vectors of the graph are made with.
MERGE (counter:Counter {id: 'refs'})
SET counter.embedding_model = $model, counter.dimensions = $dimensions
