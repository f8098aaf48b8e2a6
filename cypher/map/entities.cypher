// The entities with their leaf community and the first chunks that name them.
MATCH (entity:Entity)
OPTIONAL MATCH (entity)-[:IN_COMMUNITY]->(community:Community)
RETURN entity.ref AS ref, entity.name AS name, entity.type AS type,
       entity.description AS description, coalesce(entity.degree, 0) AS degree,
       community.ref AS community,
       COLLECT { MATCH (entity)<-[:MENTIONS]-(chunk:Chunk)
                 RETURN chunk.ref ORDER BY chunk.ref LIMIT $places } AS chunks
ORDER BY degree DESC, ref
