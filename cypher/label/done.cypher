// Saves the labels that entities have now, and that they are up to date.
MATCH (state:State:KgBuild {id: 'graph'})
SET state.type_labels = $labels, state.labels_given = $labels
REMOVE state.labels_due
