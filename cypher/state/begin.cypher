// Makes the State of a new graph, and returns the schema version of the graph.
MERGE (state:State:KgBuild {id: 'graph'})
SET state.schema_version = coalesce(state.schema_version, $version)
RETURN state.schema_version AS version
