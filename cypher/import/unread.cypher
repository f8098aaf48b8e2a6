// Reads the chunks of documents whose evidence is missing, or is not that of an import.
UNWIND $sources AS source
MATCH (:Document:KgBuild {source: source})<-[:PART_OF]-(chunk:Chunk:KgBuild)
WHERE chunk.extraction <> 'done' OR chunk.extraction_with IS NOT NULL
RETURN source, chunk.index AS index, chunk.id AS id, chunk.extraction_with IS NOT NULL AS again
