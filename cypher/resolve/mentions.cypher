// Reads the mentions of entities, and those of entities in certain chunks, each with the names that
// the claims of its chunk use for its entity.
CALL () {
  UNWIND $entities AS id
  MATCH (chunk:Chunk:KgBuild)-[mention:MENTIONS]->(entity:Entity {id: id})
  RETURN chunk, mention, entity
  UNION
  UNWIND $rows AS row
  MATCH (chunk:Chunk {id: row.chunk})-[mention:MENTIONS]->(entity:Entity {id: row.entity})
  RETURN chunk, mention, entity
}
RETURN chunk.id AS chunk, entity.id AS entity, mention.names AS names, mention.types AS types,
  mention.descriptions AS descriptions,
  CASE WHEN mention.properties IS NULL THEN {} ELSE properties(mention) END AS held,
  COLLECT { MATCH (chunk)<-[:FROM]-(:Claim:KgBuild)-[about:SUBJECT|OBJECT]->(entity)
            RETURN DISTINCT about.name } AS claimed
