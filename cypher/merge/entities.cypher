// Reads a page of marked entities with counted spellings and types, and their degree.
MATCH (entity:Entity:KgBuild) WHERE entity.stale = true
WITH entity LIMIT $limit
RETURN entity.id AS id,
  COLLECT {
    MATCH (entity)<-[mention:MENTIONS]-(:Chunk:KgBuild) UNWIND mention.names AS name
    WITH name, count(*) AS n RETURN [name, n]
  } AS mentioned,
  COLLECT {
    MATCH (entity)<-[about:SUBJECT|OBJECT]-(:Claim:KgBuild)
    WITH about.name AS name, count(*) AS n RETURN [name, n]
  } AS claimed,
  COLLECT {
    MATCH (entity)<-[mention:MENTIONS]-(:Chunk:KgBuild) UNWIND mention.types AS type
    WITH type, count(*) AS n RETURN [type, n]
  } AS types,
  COUNT { (entity)-[:RELATED]-(:KgBuild) } AS degree
