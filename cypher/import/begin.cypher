// Saves that an import has begun, and lets new refs start above the numbers of its tables.
MERGE (counter:Counter:KgBuild {id: 'refs'})
MERGE (state:State:KgBuild {id: 'graph'})
SET counter += $above, state.importing = $tables
