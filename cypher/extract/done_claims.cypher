// Saves that chunks were read for claims.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
SET chunk.claims = 'done', chunk.claims_with = row.signature,
    chunk.claims_cut = row.cut, chunk.claims_unusable = row.unusable
REMOVE chunk.claims_error
