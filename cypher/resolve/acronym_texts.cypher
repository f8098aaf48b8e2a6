// Reads the texts and documents of chunks that mention entities and that hold a bracket with one of
// the acronyms, or an acronym before a bracket.
UNWIND $rows AS row
MATCH (:Entity {id: row.entity})<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)
WHERE any(form IN row.forms WHERE chunk.text CONTAINS form)
RETURN row.spelling AS spelling, mention.names AS names, chunk.document AS document,
       chunk.text AS text
