// Draws the largest communities of level 0, each down to its best connected member and those beside it.
MATCH (community:Community {level: 0})
WITH community ORDER BY community.size DESC, community.ref LIMIT 8
CALL (community) {
  MATCH way = (community)<-[:PARENT*0..]-(part)<-[:IN_COMMUNITY]-(entity:Entity)
  RETURN way, part ORDER BY entity.degree DESC, entity.id LIMIT 1
}
CALL (part) {
  MATCH members = (part)<-[:IN_COMMUNITY]-(entity:Entity)
  RETURN members ORDER BY entity.degree DESC, entity.id LIMIT 10
}
RETURN way, members
