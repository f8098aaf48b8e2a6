// Reads all chunks of documents.
MATCH (document:Document:KgBuild)<-[:PART_OF]-(chunk:Chunk:KgBuild) WHERE document.id IN $documents
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text, chunk.header AS header,
       chunk.speaker AS speaker
