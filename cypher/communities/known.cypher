// Reads the existing communities, each with its parent.
MATCH (community:Community:KgBuild)
OPTIONAL MATCH (community)-[:PARENT]->(parent:Community:KgBuild)
RETURN community.id AS id, community.level AS level, community.size AS size, parent.id AS parent,
       coalesce(community.unchecked, 0.0) AS unchecked
