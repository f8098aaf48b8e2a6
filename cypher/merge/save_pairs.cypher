// Weights and strengths; descriptions are looked at next.
UNWIND $rows AS row
MATCH ()-[pair:RELATED {id: row.id}]->()
SET pair.weight = row.weight, pair.strength = row.strength, pair.undescribed = true
REMOVE pair.stale
