// Marks chunks as pending that were read with other settings; their evidence stays until replaced.
MATCH (chunk:Chunk:KgBuild)
WHERE (chunk.extraction_with < $signature OR chunk.extraction_with > $signature)
  AND chunk.extraction = 'done'
SET chunk.extraction = 'pending'
