// Reads communities of level 0, and all communities inside them, each with its parent.
UNWIND $tops AS top
MATCH (:Community {id: top}) (()<-[:PARENT]-(:KgBuild))* (community:Community:KgBuild)
OPTIONAL MATCH (community)-[:PARENT]->(parent:Community:KgBuild)
RETURN community.id AS id, community.level AS level, community.size AS size, parent.id AS parent,
       coalesce(community.unchecked, 0.0) AS unchecked
