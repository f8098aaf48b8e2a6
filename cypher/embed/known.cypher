// What the vectors of the graph were made with; nothing as long as there are none.
OPTIONAL MATCH (state:State {id: 'graph'})
RETURN state.embedding_model AS model, state.dimensions AS dimensions
