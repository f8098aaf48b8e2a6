// Reads entities by id, with the number of documents that mention them and some of the passages,
// each with the people whom it mentions.
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
RETURN entity.id AS id, entity.name AS name, coalesce(entity.type, '') AS type,
       coalesce(entity.description, '') AS description,
       COUNT { MATCH (entity)<-[:MENTIONS]-(:KgBuild)-[:PART_OF]->(d:Document:KgBuild) RETURN DISTINCT d } AS documents,
       COLLECT { MATCH (entity)<-[:MENTIONS]-(chunk:Chunk:KgBuild)-[:PART_OF]->(d:Document:KgBuild)
                 WITH chunk, d ORDER BY chunk.id LIMIT $passages
                 RETURN [d.source, chunk.text] + COLLECT {
                   MATCH (chunk)-[:MENTIONS]->(person:Entity:KgBuild {type: 'person'})
                   RETURN person.name ORDER BY person.name } } AS passages
