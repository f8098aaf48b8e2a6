// Marks the graph as changed, so that the next index makes its communities again.
MERGE (state:State:KgBuild {id: 'graph'})
SET state.communities_due = true
