// Projects two triangles that one edge connects into the memory of Graph Data Science.
UNWIND [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3]] AS edge
WITH gds.graph.project($graph, edge[0], edge[1], {}, {undirectedRelationshipTypes: ['*']}) AS projected
FINISH
