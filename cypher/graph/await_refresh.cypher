// Waits until full-text indexes have what was written before.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
