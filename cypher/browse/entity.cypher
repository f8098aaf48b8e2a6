// One entity with its descriptions, claims, relationships and communities.
MATCH (entity:Entity {name: $entity})
CALL (entity) {
  MATCH (entity)<-[mention:MENTIONS]-(chunk:Chunk)
  UNWIND mention.descriptions AS said
  RETURN 'itself' AS about, said, chunk
  UNION
  MATCH (entity)-[:RELATED]-(other:Entity)
  MATCH (entity)-[stated:STATED]-(other)
  MATCH (chunk:Chunk {id: stated.chunk})
  UNWIND stated.descriptions AS said
  RETURN CASE WHEN startNode(stated) = entity THEN 'to ' ELSE 'from ' END + other.name AS about,
         said, chunk
  UNION
  MATCH (entity)<-[:SUBJECT|OBJECT]-(claim:Claim)-[:FROM]->(chunk:Chunk)
  RETURN 'claim, ' + coalesce(claim.status, 'unrated') AS about, claim.description AS said, chunk
}
MATCH (chunk)-[:PART_OF]->(document:Document)
RETURN about, said, document.name AS document,
       coalesce(chunk.parts[0], 'line ' + chunk.line) AS place
ORDER BY about, document, chunk.start, said LIMIT 300
