// The relationships with the first chunks that state them.
MATCH (source:Entity)-[pair:RELATED]->(target:Entity)
RETURN pair.ref AS ref, source.ref AS source, target.ref AS target, pair.weight AS weight,
       pair.description AS description,
       COLLECT { MATCH ()-[stated:STATED {pair: pair.id}]->()
                 MATCH (chunk:Chunk {id: stated.chunk})
                 RETURN DISTINCT chunk.ref ORDER BY chunk.ref LIMIT $places } AS chunks
ORDER BY weight DESC, ref
