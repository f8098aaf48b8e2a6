// Saves weights and strengths, and marks the pairs for new descriptions.
UNWIND $rows AS row
MATCH ()-[pair:RELATED {id: row.id}]->()
SET pair.weight = row.weight, pair.strength = row.strength, pair.undescribed = true
REMOVE pair.stale
