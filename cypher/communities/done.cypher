// Saves that the communities are up to date, and what they were made with.
MERGE (state:State {id: 'graph'})
SET state.communities_with = $signature
REMOVE state.communities_due
