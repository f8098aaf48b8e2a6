// Renames the signatures of chunks that were read without a model from "offline".
MATCH (chunk:Chunk) WHERE chunk.extraction_with STARTS WITH 'offline '
SET chunk.extraction_with = 'extractive ' + substring(chunk.extraction_with, size('offline '))
