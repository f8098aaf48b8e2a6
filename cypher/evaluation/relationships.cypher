// Reads a page of relationships with all that an answer is shown of them.
MATCH (:KgBuild)-[pair:RELATED]->(:KgBuild) WHERE pair.id > $after
WITH pair ORDER BY pair.id LIMIT $limit
RETURN pair.id AS id,
  [toString(coalesce(pair.weight, 0)), toString(coalesce(pair.opposite, 0)),
   coalesce(pair.description, '')]
  + CASE WHEN pair.predicate IS NULL THEN [] ELSE [pair.predicate] END AS content
ORDER BY id
