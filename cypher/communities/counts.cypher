// Reads the chunks that mention each entity with an id in a range, and counts their documents. The parts of a
// long text count as one document.
MATCH (entity:Entity:KgBuild) WHERE $after < entity.id <= $last
RETURN entity.id AS id, COLLECT { MATCH (entity)<-[:MENTIONS]-(chunk:KgBuild) RETURN chunk.id } AS chunks,
       COUNT {
         MATCH (entity)<-[:MENTIONS]-(:KgBuild)-[:PART_OF]->(document:KgBuild)
         WITH DISTINCT document
         RETURN DISTINCT split(document.source, '#part-')[0]
       } AS documents
