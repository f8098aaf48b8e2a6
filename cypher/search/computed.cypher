// Computes over the entities or documents of types, or over relationships, that meet conditions. It
// counts them, adds up the values of a property, and reads those with the largest or smallest values, or
// the first ones. A property holds a value or a list, and only values of its $kind count. With $ids, only
// relationships of these entities count, and only entities with one of $predicates to or from them; null
// for all. Of relationships, only those with one of $predicates count, if there are any.
CALL () {
  MATCH (entity:Entity:KgBuild) WHERE $holder = 'entity' AND toLower(entity.type) IN $types
    AND ($ids IS NULL OR EXISTS {
      MATCH (entity)-[stated:STATED]-(other:Entity:KgBuild)
      WHERE other.id IN $ids AND any(one IN stated.predicates WHERE toLower(one) IN $predicates) })
  RETURN 'Entities' AS kind, entity AS it, [entity.name] AS names
  UNION ALL
  MATCH (start:Entity:KgBuild)-[pair:RELATED]->(end:Entity:KgBuild)
  WHERE $holder = 'relationship' AND ($ids IS NULL OR start.id IN $ids OR end.id IN $ids)
  RETURN 'Relationships' AS kind, pair AS it,
         CASE WHEN pair.reversed THEN [end.name, start.name] ELSE [start.name, end.name] END AS names
  UNION ALL
  MATCH (document:Document:KgBuild) WHERE $holder = 'document'
    AND CASE WHEN document.source CONTAINS '#' THEN split(document.source, '#')[0] ELSE '' END IN $types
  RETURN 'Sources' AS kind, document AS it,
         [CASE document.title WHEN document.name THEN last(split(document.source, '/')) ELSE document.title END] AS names
}
WITH kind, it, names WHERE all(one IN $conditions WHERE any(key IN one.keys WHERE any(x IN [held IN [] + it[key] |
    CASE WHEN one.length > 0 THEN left(toString(held), one.length) ELSE held END]
  WHERE CASE one.operator WHEN '>' THEN x > one.value WHEN '<' THEN x < one.value WHEN '>=' THEN x >= one.value
                          WHEN '<=' THEN x <= one.value WHEN 'IN' THEN x IN one.value ELSE x = one.value END)))
WITH kind, it, names, [x IN coalesce([] + it[$property], []) WHERE CASE $kind
       WHEN 'number' THEN x IS :: INTEGER OR x IS :: FLOAT ELSE true END] AS held
WHERE $property IS NULL OR size(held) > 0
ORDER BY names, it.id
WITH collect({kind: kind, it: it, id: it.id, names: names, held: held,
              value: CASE size(held) WHEN 0 THEN null WHEN 1 THEN held[0] ELSE held END}) AS found
WITH found, CASE $order
       WHEN 'largest' THEN COLLECT { UNWIND found AS one UNWIND one.held AS x
         RETURN one {.kind, .it, .id, .names, value: x} ORDER BY x DESC, one.names, one.id LIMIT $most }
       WHEN 'smallest' THEN COLLECT { UNWIND found AS one UNWIND one.held AS x
         RETURN one {.kind, .it, .id, .names, value: x} ORDER BY x, one.names, one.id LIMIT $most }
       ELSE found[..$most] END AS chosen
RETURN size(found) AS n, reduce(n = 0, one IN found | n + size(one.held)) AS values,
       CASE WHEN $summed THEN reduce(all = 0, one IN found | reduce(sum = all, x IN one.held | sum + x)) END AS total,
       COLLECT { UNWIND chosen AS one
         // A document is cited by its first chunk; one without text has none.
         OPTIONAL MATCH (document:Document {id: one.id})<-[:PART_OF]-(chunk:Chunk:KgBuild {index: 0}) WHERE one.kind = 'Sources'
         RETURN one {.kind, .names, .value, ref: coalesce(chunk.ref, one.it.ref), id: coalesce(chunk.id, one.it.id)}
       } AS shown
