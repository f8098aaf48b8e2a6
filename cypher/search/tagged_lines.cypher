// Reads a page of all chunks in the order of their refs, each with its document and the beginnings
// of its lines in which a colon stands. A speaker tag is such a beginning.
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document) WHERE chunk.ref > $after
WITH chunk, document ORDER BY chunk.ref LIMIT $limit
WITH chunk, document, [line IN split(chunk.text, '\n') | left(line, $longest)] AS lines
RETURN chunk.ref AS ref, [line IN lines WHERE line CONTAINS ':'] AS lines,
       document.source AS document
