// Waits until full-text search finds all text that was written before.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
