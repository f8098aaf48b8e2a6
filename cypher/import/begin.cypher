// An import begins; refs that are given on the way lie above the numbers of its tables.
MERGE (counter:Counter {id: 'refs'})
SET counter += $above, counter.importing = $tables
