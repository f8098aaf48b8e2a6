// Reads the relationships in the direction of most of their statements, with chunks that state
// them; chunks that the description quotes come first.
MATCH (a:Entity:KgBuild)-[pair:RELATED]->(b:Entity:KgBuild)
WITH pair, CASE WHEN pair.reversed THEN [b, a] ELSE [a, b] END AS ends
RETURN pair.ref AS ref, ends[0].ref AS source, ends[1].ref AS target, pair.weight AS weight,
       pair.predicate AS predicate, pair.description AS description,
       COLLECT { MATCH ()-[stated:STATED {pair: pair.id}]->()
                 MATCH (chunk:Chunk {id: stated.chunk})
                 WITH chunk, any(said IN stated.descriptions
                                 WHERE pair.description CONTAINS said) AS quoted
                 WITH chunk, max(quoted) AS quoted
                 RETURN chunk.ref ORDER BY quoted DESC, chunk.ref LIMIT $places } AS chunks
ORDER BY weight DESC, ref
