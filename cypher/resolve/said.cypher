// Reads what chunks say about entities, with the names that they use: the shortest descriptions, at
// most $most of a name. Of a name that only claims use, it reads the descriptions of these claims.
UNWIND $entities AS id
MATCH (entity:Entity {id: id})
CALL (entity) {
  MATCH (entity)<-[mention:MENTIONS]-(:Chunk:KgBuild)
  UNWIND range(0, size(mention.descriptions) - 1) AS i
  RETURN mention.names[i] AS name, mention.descriptions[i] AS text, false AS claimed
  UNION
  MATCH (entity)<-[about:SUBJECT|OBJECT]-(claim:Claim:KgBuild)
  RETURN about.name AS name, claim.description AS text, true AS claimed
}
WITH DISTINCT name, text, claimed WHERE text <> ''
ORDER BY size(text), text
WITH name, claimed, collect(text)[..$most] AS texts ORDER BY claimed
WITH name, collect(texts)[0] AS texts
UNWIND texts AS text
RETURN name, text ORDER BY size(text), text
