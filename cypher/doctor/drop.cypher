// Drops a projected graph if it exists.
CALL gds.graph.drop($graph, false) YIELD graphName
FINISH
