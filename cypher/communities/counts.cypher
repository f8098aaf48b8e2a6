// Counts the chunks that mention each entity.
MATCH (entity:Entity)
RETURN entity.id AS id, COUNT { (entity)<-[:MENTIONS]-() } AS n
