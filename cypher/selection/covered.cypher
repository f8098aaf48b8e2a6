// Counts the chunks that mention a member of communities.
MATCH (community:Community:KgBuild) WHERE community.id IN $ids
MATCH (community)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(:Entity)<-[:MENTIONS]-(chunk:Chunk)
RETURN count(DISTINCT chunk) AS n
