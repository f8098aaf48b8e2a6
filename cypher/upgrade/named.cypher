// Names a document, and keeps what the ids of its chunks depend on.
MATCH (document:Document {id: $document})
SET document.name = $name, document.id_header = document.header
REMOVE document.header
