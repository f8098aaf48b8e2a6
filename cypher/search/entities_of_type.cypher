// Reads the entities of a type that the most documents mention, and their number in all.
MATCH (entity:Entity:KgBuild {type: $type})
WITH entity, COUNT { MATCH (entity)<-[:MENTIONS]-()-[:PART_OF]->(d) RETURN DISTINCT d } AS documents
ORDER BY documents DESC, entity.name
WITH collect({name: entity.name, documents: documents}) AS found
UNWIND found[..$k] AS one
RETURN one.name AS name, one.documents AS documents, size(found) AS all
