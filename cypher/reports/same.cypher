// Communities whose report was written from what it would be written from now.
UNWIND $ids AS id
MATCH (community:Community {id: id})
REMOVE community.stale, community.report_error
