// Counts the batches, and the requests of batches.
RETURN COUNT { (:Batch:KgBuild) } + COUNT { (:BatchRequest:KgBuild) } AS n
