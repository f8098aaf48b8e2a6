// Reads the direct neighbourhood of entities: the relationships between them and to other entities,
// and the chunks that support these. A relationship has the direction of most of its statements.
RETURN
  COLLECT {
    MATCH (a:Entity)-[r:RELATED]->(b:Entity) WHERE a.id IN $ids AND b.id IN $ids
    WITH a, r, b ORDER BY a.degree + b.degree DESC, r.id LIMIT $inner
    WITH r, CASE WHEN r.reversed THEN [b, a] ELSE [a, b] END AS ends
    RETURN {id: r.id, ref: r.ref, source: ends[0].name, target: ends[1].name,
            description: r.description, weight: r.weight, opposite: r.opposite}
  } AS inner,
  COLLECT {
    MATCH (e:Entity)-[r:RELATED]-(n:Entity) WHERE e.id IN $ids AND NOT n.id IN $ids
    WITH n, collect(r) AS found
    ORDER BY size(found) DESC, n.degree DESC, n.id LIMIT $outward
    UNWIND found AS r
    WITH r, CASE WHEN r.reversed THEN [endNode(r), startNode(r)]
                 ELSE [startNode(r), endNode(r)] END AS ends
    RETURN {id: r.id, ref: r.ref, source: ends[0].name, target: ends[1].name,
            description: r.description, weight: r.weight, opposite: r.opposite}
    LIMIT $outward
  } AS outward,
  COLLECT {
    CALL () {
      MATCH (e:Entity)<-[:MENTIONS]-(chunk:Chunk) WHERE e.id IN $ids
      RETURN chunk, 1 AS support
      UNION ALL
      MATCH (a:Entity)-[stated:STATED]->(b:Entity) WHERE a.id IN $ids AND b.id IN $ids
      MATCH (chunk:Chunk {id: stated.chunk})
      RETURN chunk, 1 AS support
    }
    WITH chunk, sum(support) AS support ORDER BY support DESC, chunk.id LIMIT $chunks
    RETURN {id: chunk.id, ref: chunk.ref, text: chunk.text}
  } AS chunks
