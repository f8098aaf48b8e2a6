// Reads the places of the chunks of a document, in their order.
MATCH (:Document {id: $document})<-[:PART_OF]-(chunk:Chunk:KgBuild)
RETURN chunk.id AS id, chunk.start AS start, chunk.end AS end ORDER BY chunk.index
