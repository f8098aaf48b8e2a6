// Counts the entities and the levels of communities.
RETURN COUNT { MATCH (:Entity:KgBuild) } AS entities,
       COLLECT { MATCH (community:Community:KgBuild)
                 RETURN DISTINCT community.level AS level ORDER BY level } AS levels
