// What the tree of communities was made with, and whether the graph has changed since.
OPTIONAL MATCH (state:State {id: 'graph'})
RETURN state.communities_with AS made_with, state.communities_due IS NOT NULL AS due
