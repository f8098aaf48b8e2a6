// Reads the reports of the coarsest level, the most important first, and their foremost members:
// those that the title names, then those with the most relationships.
// A rating is missing without a model; then the largest communities come first.
MATCH (community:Community:KgBuild {level: 0}) WHERE community.report IS NOT NULL
WITH community
ORDER BY community.origin = 'elements', coalesce(community.rating, 0) DESC, community.size DESC,
         community.id
LIMIT $most
RETURN coalesce(community.title, '') AS title, coalesce(community.summary, '') AS summary,
       COLLECT { MATCH (community)-[:HAS_FINDING]->(f:Finding:KgBuild)
                 RETURN f.summary ORDER BY f.index LIMIT 3 } AS findings,
       COLLECT { MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(e:Entity:KgBuild)
                 RETURN e.id ORDER BY toLower(community.title) CONTAINS toLower(e.name) DESC, e.degree DESC, e.id
                 LIMIT $members } AS members
