// Pairs that were described without a model: their signature began with "offline".
// Hashes of what was joined hold the signature, so the next build joins it once more.
MATCH ()-[x:RELATED]->() WHERE x.description_with STARTS WITH 'offline '
SET x.description_with = 'extractive ' + substring(x.description_with, size('offline ')),
    x.undescribed = true
