// Reads the schema version; no row where the database holds no graph.
MATCH (state:State:KgBuild {id: 'graph'})
RETURN state.schema_version AS version
