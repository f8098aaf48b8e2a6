// Reads one entity with its relationships, claims and communities from level 0. A relationship goes
// in the direction of most of its statements: to the other entity, or from it. The id may be that
// of a spelling whose evidence another entity holds.
OPTIONAL MATCH (spelling:Spelling {id: $id})
MATCH (entity:Entity {id: coalesce(spelling.entity, $id)})
RETURN entity.ref AS ref, entity.name AS name, entity.type AS type,
       coalesce(entity.description, '') AS description, entity.degree AS degree,
       [name IN coalesce(entity.properties, []) | [name, entity[name]]] AS properties,
       COLLECT { MATCH (entity)-[r:RELATED]-(other:Entity:KgBuild)
                 RETURN [other.name, coalesce(r.description, ''),
                         CASE WHEN (startNode(r) = entity) <> coalesce(r.reversed, false)
                              THEN 'to' ELSE 'from' END]
                 ORDER BY other.degree DESC, other.name } AS related,
       COLLECT { MATCH (entity)<-[:SUBJECT|OBJECT]-(claim:Claim:KgBuild)
                 RETURN DISTINCT claim.description ORDER BY claim.description } AS claims,
       COLLECT { MATCH (entity)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (c:Community:KgBuild)
                 RETURN c.ref ORDER BY c.level } AS communities
