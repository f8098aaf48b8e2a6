// Reads the foremost members of communities by id.
UNWIND $ids AS id
MATCH (community:Community {id: id})
RETURN COLLECT { MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(e:Entity:KgBuild)
                 RETURN e.id ORDER BY e.degree DESC, e.id LIMIT $members } AS members
