// Reads the mentions of entities in certain chunks, with the names that the chunks' claims use.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.chunk})-[mention:MENTIONS]->(entity:Entity {id: row.entity})
RETURN chunk.id AS chunk, entity.id AS entity, mention.names AS names, mention.types AS types,
  mention.descriptions AS descriptions,
  COLLECT { MATCH (chunk)<-[:FROM]-(:Claim)-[about:SUBJECT|OBJECT]->(entity)
            RETURN DISTINCT about.name } AS claimed
