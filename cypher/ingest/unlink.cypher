// Removes the links between neighbouring chunks of documents.
UNWIND $documents AS id
MATCH (:Document {id: id})<-[:PART_OF]-(:Chunk:KgBuild)-[next:NEXT]->(:Chunk:KgBuild)
DELETE next
