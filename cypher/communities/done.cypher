// The communities are those of the graph as it is.
MERGE (state:State {id: 'graph'})
SET state.communities_with = $signature
REMOVE state.communities_due
