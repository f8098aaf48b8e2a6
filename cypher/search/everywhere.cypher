// Reads the entities that more than half of the documents mention, those in the most first. Of the
// entities with the most relationships only $most are counted.
MATCH (entity:Entity)
WITH entity ORDER BY entity.degree DESC, entity.id LIMIT $most
WITH entity,
     COUNT { MATCH (entity)<-[:MENTIONS]-()-[:PART_OF]->(d:Document) RETURN DISTINCT d } AS documents
WHERE documents > COUNT { (:Document) } / 2.0
RETURN entity.name AS name, documents ORDER BY documents DESC, name
