// Moves the state of the graph from the Counter of version 0.1 to a node of its own.
MERGE (state:State {id: 'graph'})
SET state.schema_version = $version
WITH state
MATCH (counter:Counter {id: 'refs'})
SET state.embedding_model = coalesce(state.embedding_model, counter.embedding_model),
    state.dimensions = coalesce(state.dimensions, counter.dimensions),
    state.communities_with = coalesce(state.communities_with, counter.communities_with),
    state.communities_due = coalesce(state.communities_due, counter.communities_due),
    state.importing = coalesce(state.importing, counter.importing)
REMOVE counter.embedding_model, counter.dimensions, counter.communities_with,
       counter.communities_due, counter.importing
