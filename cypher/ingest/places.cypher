// Writes where chunks stand in their document, and their headers. Where the row says so, a chunk that
// gets another header is embedded again, and read again.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})
WITH chunk, row, coalesce(chunk.header, '') <> coalesce(row.header, '') AS differs
SET chunk.header = row.header, chunk.speaker = row.speaker, chunk.line = row.line,
    chunk.parts = row.parts, chunk.part_starts = row.part_starts
WITH chunk, row WHERE differs
SET chunk.unembedded = CASE WHEN row.embed THEN true ELSE chunk.unembedded END
WITH chunk, row WHERE row.reread
SET chunk.extraction = CASE chunk.extraction WHEN 'done' THEN 'pending' ELSE chunk.extraction END,
    chunk.claims = CASE chunk.claims WHEN 'done' THEN 'pending' ELSE chunk.claims END
