// Reads chunks by ref, with their documents and their places in these.
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild) WHERE chunk.ref IN $refs
RETURN chunk {.start, .text, .line, .speaker, .parts, .part_starts, chunk: chunk.ref,
         document: document.source, name: document.name, title: document.title,
         copies: COLLECT { MATCH (document)<-[:COPY_OF]-(copy:KgBuild) RETURN copy.name ORDER BY copy.name LIMIT 3 },
         metadata: document.metadata} AS passage
