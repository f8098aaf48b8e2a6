// Counts the names and types that chunks and claims give to entities.
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
CALL (entity) {
  MATCH (entity)<-[mention:MENTIONS]-(:Chunk:KgBuild)
  UNWIND range(0, size(mention.names) - 1) AS i
  RETURN mention.names[i] AS name, mention.types[i] AS type
  UNION ALL
  MATCH (entity)<-[about:SUBJECT|OBJECT]-(:Claim:KgBuild)
  RETURN about.name AS name, null AS type
}
RETURN id AS entity, name, type, count(*) AS n
