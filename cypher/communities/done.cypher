// The communities are those of the graph as it is.
MERGE (counter:Counter {id: 'refs'})
SET counter.communities_with = $signature
REMOVE counter.communities_due
