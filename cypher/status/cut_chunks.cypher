// Reads the chunks whose list of entities or claims is incomplete.
MATCH (chunk:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
UNWIND CASE WHEN chunk.extraction_cut THEN ['entities'] ELSE [] END
     + CASE WHEN chunk.claims_cut THEN ['claims'] ELSE [] END AS list
RETURN document.source AS source, chunk.index AS index, list
ORDER BY chunk.ref, list DESC
