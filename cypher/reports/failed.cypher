// Communities whose report could not be written, and why; the mark stays.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
SET community.report_error = row.reason
