// Removes the marks of communities whose report was written from the same context. The pieces of
// its material are saved: those of a rewritten sub-report may be new although its text is the same.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
SET community += row.pieces
REMOVE community.stale, community.report_error, community.behind, community.forgetting,
       community.former_members
