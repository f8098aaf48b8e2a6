// Locks the Counter, so that only one run at a time looks for others and begins.
MERGE (counter:Counter:KgBuild {id: 'refs'})
SET counter.id = 'refs'
