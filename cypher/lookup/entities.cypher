// Finds entities by words of their names: those with one of $ids first, which are the ids of the
// whole name and may be those of spellings; then the best match first.
CALL () {
  UNWIND range(0, size($ids) - 1) AS place
  OPTIONAL MATCH (spelling:Spelling:KgBuild {id: $ids[place]})
  MATCH (node:Entity:KgBuild {id: coalesce(spelling.entity, $ids[place])})
  RETURN node, place, null AS score
  UNION ALL
  UNWIND CASE WHEN $words = '' THEN [] ELSE [$words] END AS words
  CALL db.index.fulltext.queryNodes('kg_entity_text', words, {limit: $limit}) YIELD node, score WHERE node:KgBuild
  RETURN node, size($ids) AS place, score
}
WITH node, min(place) AS place, max(score) AS score
RETURN node.ref AS ref, node.name AS name, node.type AS type,
       coalesce(node.description, '') AS description, node.degree AS degree
ORDER BY place, score DESC, node.degree DESC, node.id LIMIT $limit
