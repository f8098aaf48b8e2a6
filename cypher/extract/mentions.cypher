// Creates the mentions of entities in chunks. An entity whose mentions have properties gets a list for
// their names, by which the stage merge knows it.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.chunk}), (entity:Entity {id: row.entity})
MERGE (chunk)-[mention:MENTIONS]->(entity)
SET mention = coalesce(row.held, {}), mention.names = row.names, mention.types = row.types,
    mention.descriptions = row.descriptions
FOREACH (_ IN CASE WHEN row.held.properties IS NULL THEN [] ELSE [1] END |
  SET entity.properties = coalesce(entity.properties, []))
