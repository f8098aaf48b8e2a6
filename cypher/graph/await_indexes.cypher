// Waits until all indexes are online; fails if an index can't be filled.
CALL db.awaitIndexes($seconds)
