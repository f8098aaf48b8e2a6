// Saves why requests of an ended batch have no result, and returns how many these are.
MATCH (request:BatchRequest:KgBuild {batch: $batch})
WHERE request.text IS NULL AND request.error IS NULL
SET request.error = $reason, request.problem = 'again',
    request.tries = coalesce(request.tries, 0) + 1
RETURN count(request) AS n
