// Reads the labels that entities have by their types. No row where these labels are up to date;
// `labels` is null until all entities have been given theirs.
MATCH (state:State:KgBuild {id: 'graph'})
WHERE state.labels_due = true OR state.type_labels IS NULL
RETURN state.type_labels AS labels, coalesce(state.labels_given, []) AS given
