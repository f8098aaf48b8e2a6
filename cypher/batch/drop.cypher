// Removes at most $limit requests of steps that are done, and returns how many these are.
// Those without a result stay: their batch is not over.
MATCH (request:BatchRequest:KgBuild)
WHERE any(step IN $steps WHERE request.id STARTS WITH step + '-')
  AND (request.text IS NOT NULL OR request.error IS NOT NULL)
WITH request LIMIT $limit
DETACH DELETE request
RETURN count(*) AS n
