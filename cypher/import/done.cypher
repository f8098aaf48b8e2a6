// Saves that the import is complete.
MATCH (state:State {id: 'graph'})
REMOVE state.importing
