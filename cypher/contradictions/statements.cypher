// Reads a page of entities with what chunks say of each, and the documents of these. Of a hub only the
// chunks that the stage merge has listed are read.
MATCH (entity:Entity:KgBuild) WHERE entity.id > $after
WITH entity ORDER BY entity.id LIMIT $limit
RETURN entity.id AS id, [entity.name] + coalesce(entity.aliases, []) AS names,
  COLLECT {
    CALL (entity) {
      WITH entity WHERE entity.top_chunks IS NULL
      MATCH (chunk:Chunk:KgBuild)-[mention:MENTIONS]->(entity)
      RETURN chunk, mention
      UNION
      UNWIND entity.top_chunks AS id
      MATCH (chunk:Chunk {id: id})-[mention:MENTIONS]->(entity)
      RETURN chunk, mention
    }
    MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild)
    WITH chunk, document, mention.descriptions + COLLECT {
      MATCH (chunk)<-[:FROM]-(claim:Claim:KgBuild)-[:SUBJECT|OBJECT]->(entity) RETURN claim.description
    } AS texts
    RETURN [chunk.ref, document.source, toString(head([] + document.meta_date)), texts]
    ORDER BY chunk.ref
  } AS said
ORDER BY id
