// Removes the requests of a batch that have no result.
MATCH (request:BatchRequest:KgBuild {batch: $batch})
WHERE request.text IS NULL AND request.error IS NULL
DETACH DELETE request
