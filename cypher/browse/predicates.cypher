// Who does what to whom: the most frequent predicates, each with the strongest relationships.
MATCH (a:Entity)-[pair:RELATED]->(b:Entity) WHERE pair.predicate IS NOT NULL
WITH pair, CASE WHEN pair.reversed THEN b ELSE a END AS who,
     CASE WHEN pair.reversed THEN a ELSE b END AS whom
ORDER BY pair.weight DESC, pair.ref
RETURN pair.predicate AS predicate, count(*) AS relationships,
       collect(who.name + ' ' + pair.predicate + ' ' + whom.name)[..5] AS strongest
ORDER BY relationships DESC, predicate LIMIT 50
