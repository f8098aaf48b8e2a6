// Saves the reply to a request that was sent directly.
MERGE (request:BatchRequest:KgBuild {id: $id})
SET request.text = $text, request.cut = $cut
REMOVE request.error, request.problem
