// Saves that the communities are up to date, what they were made with, how far they were checked, and
// the weighted degree of the graph.
MERGE (state:State:KgBuild {id: 'graph'})
SET state.communities_with = $signature, state.communities_updated = $updated,
    state.communities_unchecked = $unchecked, state.communities_degree = $degree
REMOVE state.communities_due
