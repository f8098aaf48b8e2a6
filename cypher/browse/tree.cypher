// Draws the largest communities of level 0 and the largest parts of each.
MATCH (community:Community {level: 0})
WITH community ORDER BY community.size DESC, community.ref LIMIT 8
CALL (community) {
  OPTIONAL MATCH parts = (community)<-[:PARENT]-(part:Community)
  RETURN parts ORDER BY part.size DESC, part.ref LIMIT 12
}
RETURN community, parts
