// Reads the names of several words, one of them with the first letter of an acronym, that chunks
// mention together with the acronym's entity, or for it, and the documents of these chunks.
UNWIND $rows AS row
MATCH (:Entity {id: row.entity})<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)
MATCH (chunk)-[beside:MENTIONS]->(:KgBuild)
UNWIND beside.names AS name
WITH row, mention, chunk, name
WHERE name =~ '.+[\\s/&-].+' AND (' ' + toLower(name)) CONTAINS (' ' + row.letter)
RETURN DISTINCT row.spelling AS spelling, mention.names AS names, chunk.document AS document, name
