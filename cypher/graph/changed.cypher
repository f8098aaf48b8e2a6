// The graph has changed: the communities are to be made anew.
MERGE (counter:Counter {id: 'refs'})
SET counter.communities_due = true
