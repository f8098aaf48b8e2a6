// Reads the entities with their leaf community and chunks that mention them; chunks that the
// description quotes come first.
MATCH (entity:Entity:KgBuild)
OPTIONAL MATCH (entity)-[:IN_COMMUNITY]->(community:Community:KgBuild)
RETURN entity.ref AS ref, entity.name AS name, entity.aliases AS aliases, entity.type AS type,
       [name IN entity.properties | name + ': ' +
         substring(reduce(all = '', x IN [] + entity[name] | all + ', ' + toStringOrNull(x)), 2)] AS properties,
       entity.description AS description, coalesce(entity.degree, 0) AS degree,
       community.ref AS community,
       COLLECT { MATCH (entity)<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)
                 WITH chunk, any(said IN mention.descriptions
                                 WHERE entity.description CONTAINS said) AS quoted
                 RETURN chunk.ref ORDER BY quoted DESC, chunk.ref LIMIT $places } AS chunks
ORDER BY degree DESC, ref
