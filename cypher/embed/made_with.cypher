// Keeps what the vectors of the graph are made with.
MERGE (state:State {id: 'graph'})
SET state.embedding_model = $model, state.dimensions = $dimensions
