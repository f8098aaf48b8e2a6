// Reads the shortest paths between two entities, the firmest first: a path is as firm as the fewest
// statements that one of its pairs has, and less if the entities on it are related to many others.
MATCH path = ALL SHORTEST (:Entity:KgBuild {ref: $one}) (()-[:RELATED]-(:KgBuild)){1,4} (:Entity:KgBuild {ref: $other})
WITH path, reduce(often = 1, entity IN nodes(path)[1..-1] | often + entity.degree) AS often,
     reduce(least = 1000, pair IN relationships(path) | CASE WHEN pair.weight < least THEN pair.weight ELSE least END) AS least,
     [pair IN relationships(path) | pair.id] AS pairs
ORDER BY least / sqrt(often) DESC, pairs LIMIT $limit
RETURN [entity IN nodes(path) | entity.name] AS names, pairs
