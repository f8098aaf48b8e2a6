// Saves which labels entities may have from now on, before all of them are given theirs.
MATCH (state:State:KgBuild {id: 'graph'})
SET state.labels_given = $given
REMOVE state.type_labels
