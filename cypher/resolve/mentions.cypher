// Reads the mentions of entities, each with the names that the claims of its chunk use for it.
UNWIND $entities AS id
MATCH (chunk:Chunk)-[mention:MENTIONS]->(entity:Entity {id: id})
RETURN chunk.id AS chunk, id AS entity, mention.names AS names, mention.types AS types,
  mention.descriptions AS descriptions,
  COLLECT { MATCH (chunk)<-[:FROM]-(:Claim)-[about:SUBJECT|OBJECT]->(entity)
            RETURN DISTINCT about.name } AS claimed
