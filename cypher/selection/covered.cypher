// Counts the chunks that mention a member of communities.
MATCH (community:Community:KgBuild) WHERE community.id IN $ids
MATCH (community) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(:Entity:KgBuild)<-[:MENTIONS]-(chunk:Chunk:KgBuild)
RETURN count(DISTINCT chunk) AS n
