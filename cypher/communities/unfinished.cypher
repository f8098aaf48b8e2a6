// Marks the communities as not yet saved whole, so that the next run makes all of them again.
MERGE (state:State:KgBuild {id: 'graph'})
SET state.communities_with = $signature
