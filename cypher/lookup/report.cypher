// Reads the report of one community with its findings and members.
MATCH (community:Community:KgBuild {ref: $ref})
RETURN community.ref AS ref, community.level AS level, community.title AS title,
       community.summary AS summary, community.rating AS rating,
       community.rating_explanation AS rating_explanation, community.origin AS origin,
       coalesce(community.report, '') AS text,
       COLLECT { MATCH (community)-[:HAS_FINDING]->(f:Finding:KgBuild)
                 RETURN [f.summary, f.explanation] ORDER BY f.index } AS findings,
       COLLECT { MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(e:Entity:KgBuild)
                 RETURN e.name ORDER BY e.degree DESC, e.name } AS entities
