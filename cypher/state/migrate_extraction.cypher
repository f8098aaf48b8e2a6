// Chunks that were read without a model: their signature began with "offline" in version 0.1.
MATCH (chunk:Chunk) WHERE chunk.extraction_with STARTS WITH 'offline '
SET chunk.extraction_with = 'extractive ' + substring(chunk.extraction_with, size('offline '))
