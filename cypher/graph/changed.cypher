// The graph has changed: the communities are to be made anew.
MERGE (state:State {id: 'graph'})
SET state.communities_due = true
