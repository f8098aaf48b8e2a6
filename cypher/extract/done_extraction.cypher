// Saves that chunks were read for entities and relationships.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
SET chunk.extraction = 'done', chunk.extraction_with = row.signature,
    chunk.extraction_cut = row.cut, chunk.extraction_unusable = row.unusable
REMOVE chunk.extraction_error
