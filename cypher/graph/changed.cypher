// Marks the graph as changed, so that the next index makes its communities again and the labels of
// entities are looked at.
MERGE (state:State:KgBuild {id: 'graph'})
SET state.communities_due = true, state.labels_due = true
