// Waits until all indexes are online; fails if one can't be filled.
CALL db.awaitIndexes($seconds)
