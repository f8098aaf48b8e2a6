// Removes a batch whose results are all in the graph.
MATCH (batch:Batch {id: $id})
DETACH DELETE batch
