// Reads the relationships with chunks that state them; chunks that the description quotes come
// first.
MATCH (source:Entity)-[pair:RELATED]->(target:Entity)
RETURN pair.ref AS ref, source.ref AS source, target.ref AS target, pair.weight AS weight,
       pair.description AS description,
       COLLECT { MATCH ()-[stated:STATED {pair: pair.id}]->()
                 MATCH (chunk:Chunk {id: stated.chunk})
                 WITH chunk, any(said IN stated.descriptions
                                 WHERE pair.description CONTAINS said) AS quoted
                 WITH chunk, max(quoted) AS quoted
                 RETURN chunk.ref ORDER BY quoted DESC, chunk.ref LIMIT $places } AS chunks
ORDER BY weight DESC, ref
