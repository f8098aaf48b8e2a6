// Counts the chunks and the documents that mention each entity with an id in a range. The parts of a
// long text count as one document.
MATCH (entity:Entity:KgBuild) WHERE $after < entity.id <= $last
RETURN entity.id AS id, COUNT { (entity)<-[:MENTIONS]-() } AS n,
       COUNT {
         MATCH (entity)<-[:MENTIONS]-()-[:PART_OF]->(document)
         WITH DISTINCT document
         RETURN DISTINCT split(document.source, '#part-')[0]
       } AS documents
