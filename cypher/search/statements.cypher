// Reads the statements of chunks and of relationships, each text with the entities at its ends and a
// chunk that states it.
CALL () {
  UNWIND $chunks AS chunk
  MATCH (a:Entity:KgBuild)-[stated:STATED {chunk: chunk}]->(b:Entity:KgBuild)
  RETURN a, stated, b
  UNION
  UNWIND $relationships AS id
  MATCH (a:Entity:KgBuild)-[stated:STATED {pair: id}]->(b:Entity:KgBuild)
  RETURN a, stated, b
}
UNWIND stated.descriptions AS text
UNWIND [a.id, b.id] AS end
RETURN text, collect(DISTINCT end) AS ends, min(stated.chunk) AS chunk ORDER BY text
