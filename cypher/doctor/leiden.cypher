// Finds the communities of a projected graph.
CALL gds.leiden.stats($graph, {randomSeed: 42, concurrency: 1}) YIELD communityCount
FINISH
