// Saves that the import is complete.
MATCH (state:State:KgBuild {id: 'graph'})
REMOVE state.importing
