// Saves weights, strengths and directions, and marks the pairs for new descriptions.
UNWIND $rows AS row
MATCH ()-[pair:RELATED {id: row.id}]->()
SET pair.weight = row.weight, pair.strength = row.strength, pair.reversed = row.reversed,
    pair.opposite = row.opposite, pair.undescribed = true
REMOVE pair.stale
