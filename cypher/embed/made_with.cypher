// Saves the model and the dimensions of the graph's vectors.
MERGE (state:State:KgBuild {id: 'graph'})
SET state.embedding_model = $model, state.dimensions = $dimensions
