// One community's report, with its members, the best connected first.
MATCH (community:Community {ref: $community})
RETURN community.title AS title, community.rating AS rating,
       community.rating_explanation AS why, community.report AS report,
       COLLECT { MATCH (community)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(entity:Entity)
                 RETURN entity.name ORDER BY entity.degree DESC, entity.name LIMIT 100
       } AS members
