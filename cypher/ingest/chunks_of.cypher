// Reads the ids of the chunks of documents.
UNWIND $documents AS id
MATCH (:Document {id: id})<-[:PART_OF]-(chunk:Chunk:KgBuild)
RETURN collect(chunk.id) AS ids
