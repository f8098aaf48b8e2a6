// Names a document, keeps what the ids of its chunks depend on, and gives its chunks its id, by which
// searches filter.
MATCH (document:Document {id: $document})
SET document.name = $name, document.id_header = document.header
REMOVE document.header
WITH document
MATCH (document)<-[:PART_OF]-(chunk:Chunk:KgBuild)
SET chunk.document = document.id
