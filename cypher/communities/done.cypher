// Saves that the communities are up to date, what they were made with, and how far they were checked.
MERGE (state:State:KgBuild {id: 'graph'})
SET state.communities_with = $signature, state.communities_updated = $updated,
    state.communities_unchecked = $unchecked
REMOVE state.communities_due
