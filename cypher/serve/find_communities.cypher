// Finds communities of several entities whose titles hold all words, the largest first.
MATCH (community:Community:KgBuild)
WHERE community.size > 1 AND all(word IN $words WHERE toLower(community.title) CONTAINS word)
RETURN community.ref AS ref, community.title AS title ORDER BY community.size DESC, ref LIMIT $limit
