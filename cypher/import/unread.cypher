// Reads the chunks of documents whose evidence is missing, or is not what the records give.
UNWIND $rows AS row
MATCH (:Document:KgBuild {source: row.source})<-[:PART_OF]-(chunk:Chunk:KgBuild)
WHERE chunk.extraction <> 'done' OR chunk.extraction_with IS NOT NULL
  OR coalesce(chunk.evidence_hash, '') <> row.hashes[chunk.index]
RETURN row.source AS source, chunk.index AS index, chunk.id AS id,
       chunk.extraction = 'done' OR chunk.extraction_with IS NOT NULL AS again
