// Tells whether the graph was imported, and its names not compared since.
OPTIONAL MATCH (state:State:KgBuild {id: 'graph'})
RETURN CASE WHEN state.names_uncompared THEN 1 ELSE 0 END AS n
