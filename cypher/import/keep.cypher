// The communities are those of the import until the graph changes, and what reports it brought
// need no other.
MERGE (counter:Counter {id: 'refs'})
SET counter.communities_with = 'import'
REMOVE counter.communities_due
WITH counter
MATCH (community:Community) WHERE community.origin = 'import'
REMOVE community.stale
