// Removes the links between neighbouring chunks of documents, and to a document that they were copies of.
UNWIND $documents AS id
MATCH (document:Document {id: id})
CALL (document) {
  MATCH (document)<-[:PART_OF]-(:Chunk:KgBuild)-[next:NEXT]->(:Chunk:KgBuild)
  RETURN next AS link
  UNION
  MATCH (document)-[copy:COPY_OF]->(:KgBuild)
  RETURN copy AS link
}
DELETE link
