// Saves how much of the material of reports has changed since they were written; they stay.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
SET community.behind = row.behind
REMOVE community.stale, community.report_error
