// Saves why reports of communities could not be written; the communities stay marked.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
SET community.report_error = row.reason
