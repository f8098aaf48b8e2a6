// The chunks that documents have.
UNWIND $documents AS id
MATCH (:Document {id: id})<-[:PART_OF]-(chunk:Chunk)
RETURN collect(chunk.id) AS ids
