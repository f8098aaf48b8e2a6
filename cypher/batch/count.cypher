// Counts the batches, and the requests of batches.
RETURN COUNT { (:Batch) } + COUNT { (:BatchRequest) } AS n
