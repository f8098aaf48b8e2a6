// Reads chunks by ref, with their documents and their places in these.
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild) WHERE chunk.ref IN $refs
RETURN chunk {.start, .text, .line, .speaker, .parts, .part_starts, chunk: chunk.ref,
         document: document.source, name: document.name, title: document.title,
         metadata: document.metadata} AS passage
