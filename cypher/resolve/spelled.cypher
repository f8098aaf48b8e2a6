// Reads the names and types that documents use for entities: documents that use the same in as many
// chunks are counted together.
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
RETURN id AS entity,
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
  } AS uses
