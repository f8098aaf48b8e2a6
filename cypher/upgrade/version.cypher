// Saves that the graph now has a schema version.
MATCH (state:State:KgBuild {id: 'graph'})
SET state.schema_version = $version
