// Saves that the communities are those of the import until the graph changes, and removes the marks
// of communities whose reports were imported.
MERGE (state:State {id: 'graph'})
SET state.communities_with = 'import'
REMOVE state.communities_due
WITH state
MATCH (community:Community) WHERE community.origin = 'import'
REMOVE community.stale
