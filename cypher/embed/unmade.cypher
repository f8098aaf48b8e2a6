// There are no vectors any more.
MATCH (state:State {id: 'graph'})
REMOVE state.embedding_model, state.dimensions
