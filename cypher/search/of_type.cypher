// Counts the entities of types, and reads those that most documents name, with the numbers of their
// passages. $documents are the ids of the documents that count, null for all.
MATCH (entity:Entity:KgBuild) WHERE toLower(entity.type) IN $types
CALL (entity) {
  MATCH (entity)<-[:MENTIONS]-(chunk:Chunk:KgBuild) WHERE $documents IS NULL OR chunk.document IN $documents
  RETURN count(chunk) AS passages, count(DISTINCT chunk.document) AS documents
}
WITH entity, passages, documents WHERE passages > 0
ORDER BY documents DESC, passages DESC, entity.name, entity.id
WITH collect({ref: entity.ref, id: entity.id, name: entity.name, type: toLower(entity.type),
              passages: passages, documents: documents}) AS found
UNWIND found[..$limit] AS one
RETURN size(found) AS n, one.ref AS ref, one.id AS id, one.name AS name, one.type AS type,
       one.passages AS passages, one.documents AS documents
