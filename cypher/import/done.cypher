// The import is complete.
MATCH (counter:Counter {id: 'refs'})
REMOVE counter.importing
