// Removes the mark of communities whose report was written from the same context.
UNWIND $ids AS id
MATCH (community:Community {id: id})
REMOVE community.stale, community.report_error
