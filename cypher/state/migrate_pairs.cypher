// Renames the signatures of pairs that were described without a model from "offline".
// Hashes of what was joined hold the signature, so the next build joins it once more.
MATCH ()-[x:RELATED]->() WHERE x.description_with STARTS WITH 'offline '
SET x.description_with = 'extractive ' + substring(x.description_with, size('offline ')),
    x.undescribed = true
