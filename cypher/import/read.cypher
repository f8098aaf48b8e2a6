// Saves that chunks hold no claims.
UNWIND $chunks AS id
MATCH (chunk:Chunk {id: id})
SET chunk.claims = 'done'
REMOVE chunk.claims_with
