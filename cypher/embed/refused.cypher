// Saves why the endpoint does not embed nodes, and of which text. They stay marked, and are not sent
// again before their text or the model changes.
UNWIND $rows AS row
MATCH (x:Chunk|Community|Entity {id: row.id})
SET x.embedding_error = row.reason, x.embedding_hash = row.hash
REMOVE x.embedding
