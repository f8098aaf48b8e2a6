// Reads the direct neighbourhood of entities: the relationships between them and to other entities,
// and the chunks that support these. A relationship has the direction of most of its statements.
// $pairs holds the ids of all pairs of the entities. Of a hub only the heaviest relationships and the
// chunks that the stage merge has listed are read, and no statements between two hubs. Which hubs a
// chunk mentions is then counted for the best chunks.
WITH COLLECT { MATCH (e:Entity:KgBuild) WHERE e.id IN $ids RETURN e } AS seeds
CALL () {
  UNWIND $pairs AS id
  MATCH (a)-[r:RELATED {id: id}]->(b)
  WITH a, r, b ORDER BY a.degree + b.degree DESC, r.id LIMIT $inner
  WITH r, CASE WHEN r.reversed THEN [b, a] ELSE [a, b] END AS ends
  RETURN collect({id: r.id, ref: r.ref, source: ends[0].name, target: ends[1].name,
                  predicate: r.predicate, description: r.description, weight: r.weight,
                  opposite: r.opposite}) AS inner
}
CALL (seeds) {
  CALL (seeds) {
    UNWIND seeds AS e
    WITH e WHERE e.top_pairs IS NULL
    MATCH (e)-[r:RELATED]-(n:Entity:KgBuild)
    RETURN r, n
    UNION ALL
    UNWIND seeds AS e
    UNWIND e.top_pairs AS id
    MATCH (a)-[r:RELATED {id: id}]->(b)
    RETURN r, CASE WHEN a = e THEN b ELSE a END AS n
  }
  WITH r, n WHERE NOT n IN seeds
  WITH n, collect(r) AS found
  ORDER BY size(found) DESC, n.degree DESC, n.id LIMIT $outward
  UNWIND found AS r
  WITH r LIMIT $outward
  WITH r, CASE WHEN r.reversed THEN [endNode(r), startNode(r)]
               ELSE [startNode(r), endNode(r)] END AS ends
  RETURN collect({id: r.id, ref: r.ref, source: ends[0].name, target: ends[1].name,
                  predicate: r.predicate, description: r.description, weight: r.weight,
                  opposite: r.opposite}) AS outward
}
CALL (seeds) {
  WITH seeds, [e IN seeds WHERE e.top_chunks IS NOT NULL] AS hubs
  CALL (seeds, hubs) {
    UNWIND seeds AS e
    WITH e WHERE e.top_chunks IS NULL
    MATCH (e)<-[:MENTIONS]-(chunk:Chunk:KgBuild)
    RETURN chunk, 1 AS support
    UNION ALL
    UNWIND seeds AS e
    WITH e WHERE e.top_pairs IS NULL
    MATCH (e)-[stated:STATED]->(e)
    WITH stated.chunk AS id  // or Neo4j may look at all chunks first
    MATCH (chunk:Chunk {id: id})
    RETURN chunk, 1 AS support
    UNION ALL
    UNWIND $pairs AS id
    MATCH (a)-[:RELATED {id: id}]->(b)
    WHERE a.top_chunks IS NULL OR b.top_chunks IS NULL
    MATCH ()-[stated:STATED {pair: id}]->()
    WITH stated.chunk AS id
    MATCH (chunk:Chunk {id: id})
    RETURN chunk, 1 AS support
    UNION ALL
    UNWIND hubs AS e
    UNWIND e.top_chunks AS id
    MATCH (chunk:Chunk {id: id})
    RETURN chunk, 0 AS support
  }
  WITH hubs, chunk, sum(support) AS support ORDER BY support DESC, chunk.id LIMIT 10 * $chunks
  WITH chunk, support + CASE hubs WHEN [] THEN 0
         ELSE COUNT { MATCH (chunk)-[:MENTIONS]->(e:Entity:KgBuild) WHERE e IN hubs } END AS support
  ORDER BY support DESC, chunk.id LIMIT $chunks
  RETURN collect({id: chunk.id, ref: chunk.ref, text: chunk.text,
                  date: [(chunk)-[:PART_OF]->(document:KgBuild) | document.meta_date][0]}) AS chunks
}
RETURN inner, outward, chunks
