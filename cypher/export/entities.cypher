// Reads the entities with the levels and titles of their communities.
MATCH (entity:Entity:KgBuild)
RETURN entity.id AS id, entity.name AS name, entity.type AS type,
       entity.description AS description, coalesce(entity.degree, 0) AS degree,
       COLLECT { MATCH (entity)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (community:Community:KgBuild)
                 RETURN [community.level, coalesce(community.title, 'Community ' + community.ref)]
       } AS communities
