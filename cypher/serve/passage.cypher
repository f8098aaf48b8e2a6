// Reads a chunk with the chunks around it in its document, and the entities that it mentions.
MATCH (chunk:Chunk:KgBuild {ref: $ref})-[:PART_OF]->(document:Document:KgBuild)
RETURN chunk {.start, .text, .line, .speaker, .parts, .part_starts, chunk: chunk.ref,
         document: document.source, name: document.name, title: document.title,
         copies: COLLECT { MATCH (document)<-[:COPY_OF]-(copy:KgBuild) RETURN copy.name ORDER BY copy.name LIMIT 3 }} AS passage,
       COLLECT {
         MATCH (document)<-[:PART_OF]-(near:Chunk:KgBuild)
         WHERE abs(near.index - chunk.index) <= $around
         WITH near ORDER BY near.index
         RETURN near {.ref, .start, .end, .text}
       } AS near,
       COLLECT {
         MATCH (chunk)-[:MENTIONS]->(entity:Entity:KgBuild)
         WITH entity ORDER BY entity.degree DESC, entity.ref
         RETURN entity {.ref, .name, .type}
       } AS entities,
       COUNT { (document)<-[:PART_OF]-(near:Chunk:KgBuild) WHERE near.index < chunk.index - $around } AS before,
       COUNT { (document)<-[:PART_OF]-(near:Chunk:KgBuild) WHERE near.index > chunk.index + $around } AS after
