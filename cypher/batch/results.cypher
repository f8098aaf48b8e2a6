// Saves results of a batch, and returns the keys of those that were not saved before.
UNWIND $rows AS row
MATCH (request:BatchRequest {id: row.key, batch: $batch})
WHERE request.text IS NULL AND request.error IS NULL
SET request.text = row.text, request.cut = row.cut, request.error = row.error,
    request.problem = row.problem,
    request.tries = coalesce(request.tries, 0) + CASE WHEN row.error IS NULL THEN 0 ELSE 1 END
RETURN request.id AS id
