// Computes over the entities of types that meet conditions or, with $pairs, over relationships. It counts
// them, adds up the values of a property, and reads those with the largest or smallest values, or the
// first ones. A property holds a value or a list. With $ids, only relationships of these entities
// count, and only entities with one of $predicates to or from them; null for all.
CALL () {
  MATCH (entity:Entity:KgBuild) WHERE NOT $pairs AND toLower(entity.type) IN $types
    AND all(one IN $conditions WHERE any(x IN [held IN [] + entity[one.key] |
          CASE WHEN one.length > 0 THEN left(toString(held), one.length) ELSE held END]
        WHERE CASE one.operator WHEN '>' THEN x > one.value WHEN '<' THEN x < one.value WHEN '>=' THEN x >= one.value
                                WHEN '<=' THEN x <= one.value ELSE x = one.value END))
    AND ($ids IS NULL OR EXISTS {
      MATCH (entity)-[stated:STATED]-(other:Entity:KgBuild)
      WHERE other.id IN $ids AND any(one IN stated.predicates WHERE toLower(one) IN $predicates) })
  RETURN 'Entities' AS kind, entity.ref AS ref, entity.id AS id, [entity.name] AS names,
         coalesce([] + entity[$property], []) AS held
  UNION ALL
  MATCH (start:Entity:KgBuild)-[pair:RELATED]->(end:Entity:KgBuild)
  WHERE $pairs AND ($ids IS NULL OR start.id IN $ids OR end.id IN $ids)
  RETURN 'Relationships' AS kind, pair.ref AS ref, pair.id AS id,
         CASE WHEN pair.reversed THEN [end.name, start.name] ELSE [start.name, end.name] END AS names,
         coalesce([] + pair[$property], []) AS held
}
WITH kind, ref, id, names, held WHERE $property IS NULL OR size(held) > 0
ORDER BY names, id
WITH collect({kind: kind, ref: ref, id: id, names: names,
              value: CASE size(held) WHEN 0 THEN null WHEN 1 THEN held[0] ELSE held END, held: held}) AS found
RETURN size(found) AS n, reduce(n = 0, one IN found | n + size(one.held)) AS values,
       CASE WHEN $summed THEN reduce(all = 0, one IN found | reduce(sum = all, x IN one.held | sum + x)) END AS total,
       CASE $order
         WHEN 'largest' THEN COLLECT { UNWIND found AS one UNWIND one.held AS x
           RETURN one {.kind, .ref, .id, .names, value: x} ORDER BY x DESC, one.names, one.id LIMIT $most }
         WHEN 'smallest' THEN COLLECT { UNWIND found AS one UNWIND one.held AS x
           RETURN one {.kind, .ref, .id, .names, value: x} ORDER BY x, one.names, one.id LIMIT $most }
         ELSE [one IN found[..$most] | one {.kind, .ref, .id, .names, .value}] END AS shown
