// Removes the model and the dimensions of the vectors from the state of the graph.
MATCH (state:State:KgBuild {id: 'graph'})
REMOVE state.embedding_model, state.dimensions
