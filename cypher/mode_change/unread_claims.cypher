// Makes chunks pending for claims, as if they had never been read for them.
UNWIND $chunks AS id
MATCH (chunk:Chunk {id: id})
SET chunk.claims = 'pending'
REMOVE chunk.claims_with, chunk.claims_cut, chunk.claims_unusable, chunk.claims_error
