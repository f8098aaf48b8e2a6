// Marks chunks that were read with other settings; what they say stands until it is replaced.
MATCH (chunk:Chunk) WHERE chunk.extraction = 'done' AND chunk.extraction_with <> $signature
SET chunk.extraction = 'pending'
