// Saves the replies to requests that were sent directly.
UNWIND $rows AS row
MERGE (request:BatchRequest:KgBuild {id: row.id})
SET request.text = row.text, request.cut = row.cut
REMOVE request.error, request.problem
