// Lets chunks that were read mention the speakers of their headers, where these are entities. The
// entities are not marked: a model would be asked to describe them again.
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.chunk}), (entity:Entity {id: row.entity})
WHERE chunk.extraction_with IS NOT NULL AND NOT EXISTS { (chunk)-[:MENTIONS]->(entity) }
CREATE (chunk)-[:MENTIONS {names: [row.name], types: [], descriptions: []}]->(entity)
