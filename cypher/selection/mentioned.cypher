// Keeps those of some entities that a chunk of selected documents mentions.
MATCH (entity:Entity:KgBuild) WHERE entity.id IN $ids AND EXISTS {
  MATCH (entity)<-[:MENTIONS]-(:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
  WHERE document.id IN $documents
}
RETURN entity.id AS id
