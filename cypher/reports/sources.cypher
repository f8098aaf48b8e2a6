// Reads the statements of chunks about members and their pairs, at most $most chunks for each.
UNWIND $ids AS id
MATCH (community:Community {id: id}) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(a:Entity:KgBuild)
CALL (community, a) {
  MATCH (a)<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)
  WITH a, mention, chunk ORDER BY chunk.id LIMIT $most
  UNWIND mention.descriptions AS text
  RETURN [a.id] AS about, chunk, text
  UNION ALL
  MATCH (a)-[pair:RELATED]->(b:Entity:KgBuild)
  WHERE EXISTS { (b)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (community) }
  CALL (pair) {
    MATCH ()-[stated:STATED {pair: pair.id}]->()
    RETURN stated ORDER BY stated.chunk, stated.id LIMIT $most
  }
  MATCH (chunk:Chunk {id: stated.chunk})
  UNWIND stated.descriptions AS text
  RETURN [a.id, b.id] AS about, chunk, text
}
WITH id, about, chunk, text WHERE text <> ''
WITH id, about, chunk, text ORDER BY about, chunk.id, text
RETURN id AS community, collect([chunk.ref, chunk.id, about, text]) AS said
