// Renames the signatures of chunks that were read for claims without a model from "offline".
MATCH (chunk:Chunk) WHERE chunk.claims_with STARTS WITH 'offline '
SET chunk.claims_with = 'extractive ' + substring(chunk.claims_with, size('offline '))
