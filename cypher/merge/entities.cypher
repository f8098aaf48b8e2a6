// Reads a page of marked entities with their degree and the names and types that documents use for
// them: documents that use the same in as many chunks are counted together. Only the mentions of an
// entity with a list of properties are asked for these.
MATCH (entity:Entity:KgBuild) WHERE entity.stale = true
WITH entity LIMIT $limit
RETURN entity.id AS id,
  COLLECT {
    CALL (entity) {
      MATCH (entity)<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)
      UNWIND range(0, size(mention.names) - 1) AS i
      RETURN chunk, mention.names[i] AS name, mention.types[i] AS type
      UNION
      MATCH (entity)<-[about:SUBJECT|OBJECT]-(:Claim:KgBuild)-[:FROM]->(chunk:Chunk:KgBuild)
      RETURN chunk, about.name AS name, null AS type
    }
    WITH chunk, name, type ORDER BY name, type
    WITH chunk, collect([name, type]) AS said
    WITH chunk.document AS document, said, count(*) AS chunks ORDER BY said, chunks
    WITH document, collect([said, chunks]) AS used
    WITH used, count(*) AS documents
    RETURN [used, documents]
  } AS uses,
  COUNT { (entity)-[:RELATED]-(:KgBuild) } AS degree,
  entity.properties AS properties,
  CASE WHEN entity.properties IS NULL THEN [] ELSE COLLECT {
    MATCH (entity)<-[mention:MENTIONS]-(:Chunk:KgBuild) WHERE mention.properties IS NOT NULL
    RETURN properties(mention)
  } END AS held
