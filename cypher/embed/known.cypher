// Reads the model and the dimensions of the graph's vectors; null as long as there are none.
OPTIONAL MATCH (state:State:KgBuild {id: 'graph'})
RETURN state.embedding_model AS model, state.dimensions AS dimensions
