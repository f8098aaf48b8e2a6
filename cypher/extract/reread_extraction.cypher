// Marks chunks that were read with other settings; what they say stands until it is replaced.
MATCH (chunk:Chunk)
WHERE (chunk.extraction_with < $signature OR chunk.extraction_with > $signature)
  AND chunk.extraction = 'done'
SET chunk.extraction = 'pending'
