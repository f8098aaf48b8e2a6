// The communities of level 0, the coarsest, by size and by the rating of their reports.
MATCH (community:Community {level: 0})
RETURN community.ref AS community, community.title AS title, community.size AS entities,
       community.rating AS rating, community.summary AS summary
ORDER BY entities DESC, rating DESC, community LIMIT 50
