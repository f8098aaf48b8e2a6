// Reads the batches whose results are not all in the graph, the oldest first.
MATCH (batch:Batch:KgBuild)
RETURN batch.id AS id, batch.provider_id AS provider, batch.file AS file, batch.state AS state,
       batch.requests AS requests, coalesce(batch.answered, 0) AS answered, batch.cost AS cost,
       toString(coalesce(batch.sent, batch.uploaded)) AS sent
ORDER BY batch.uploaded, batch.id
