// Creates the mentions of entities in chunks.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.chunk}), (entity:Entity {id: row.entity})
MERGE (chunk)-[mention:MENTIONS]->(entity)
SET mention.names = row.names, mention.types = row.types, mention.descriptions = row.descriptions
