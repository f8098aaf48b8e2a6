// Chunks that were read for claims without a model: their signature began with "offline".
MATCH (chunk:Chunk) WHERE chunk.claims_with STARTS WITH 'offline '
SET chunk.claims_with = 'extractive ' + substring(chunk.claims_with, size('offline '))
