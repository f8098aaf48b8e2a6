// The communities are those of the import until the graph changes, and what reports it brought
// need no other.
MERGE (state:State {id: 'graph'})
SET state.communities_with = 'import'
REMOVE state.communities_due
WITH state
MATCH (community:Community) WHERE community.origin = 'import'
REMOVE community.stale
