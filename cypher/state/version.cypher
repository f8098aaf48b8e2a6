// Reads the schema version: 1 in the layout of version 0.1, null where there is no graph.
OPTIONAL MATCH (state:State {id: 'graph'})
OPTIONAL MATCH (counter:Counter {id: 'refs'})
RETURN coalesce(state.schema_version,
                CASE WHEN state IS NOT NULL OR counter IS NOT NULL THEN 1 END) AS version
