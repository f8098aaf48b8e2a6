// Reads the documents that mention entities, with the names that they use.
UNWIND $entities AS id
MATCH (:Entity {id: id})<-[mention:MENTIONS]-(:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
UNWIND mention.names AS name
RETURN DISTINCT document.id AS document, name
