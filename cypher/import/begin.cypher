// An import begins; refs that are given on the way lie above the numbers of its tables.
MERGE (counter:Counter {id: 'refs'})
MERGE (state:State {id: 'graph'})
SET counter += $above, state.importing = $tables
