// Saves the requests of a batch. The number of times that a request was sent before is kept.
UNWIND $keys AS key
MERGE (request:BatchRequest:KgBuild {id: key})
SET request.batch = $batch
REMOVE request.text, request.error
