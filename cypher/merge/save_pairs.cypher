// Saves weights, strengths, directions, predicates and properties, and marks the pairs for new descriptions.
UNWIND $rows AS row
MATCH ()-[pair:RELATED {id: row.id}]->()
SET pair += coalesce(row.properties, {}), pair.weight = row.weight, pair.strength = row.strength, pair.reversed = row.reversed,
    pair.opposite = row.opposite, pair.predicate = row.predicate, pair.predicates = row.predicates,
    pair.opposite_predicates = row.opposite_predicates, pair.undescribed = true
REMOVE pair.stale
