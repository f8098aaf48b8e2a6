// Reads the communities of $level (null: of all levels) with report titles, the largest first.
MATCH (community:Community:KgBuild) WHERE $level IS NULL OR community.level = $level
OPTIONAL MATCH (community)-[:PARENT]->(parent:Community:KgBuild)
RETURN community.ref AS ref, community.level AS level, community.size AS size,
       community.title AS title, community.summary AS summary, community.rating AS rating,
       community.origin AS origin, parent.ref AS parent
ORDER BY level, size DESC, ref
