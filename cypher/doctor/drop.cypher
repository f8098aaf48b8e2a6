// Drops a projected graph, if it is there.
CALL gds.graph.drop($graph, false) YIELD graphName
RETURN graphName
