// Reads the ids of the chunks of documents in order.
UNWIND $sources AS source
MATCH (document:Document:KgBuild {source: source})<-[:PART_OF]-(chunk:Chunk:KgBuild)
WITH source, chunk ORDER BY source, chunk.index
RETURN source, collect(chunk.id) AS chunks
