// What in replies could not be used, by reason, and how many chunks' lists were cut off.
MATCH (chunk:Chunk)
UNWIND coalesce(chunk.extraction_unusable, []) + coalesce(chunk.claims_unusable, [])
     + CASE WHEN chunk.extraction_cut THEN ['list of entities cut off'] ELSE [] END
     + CASE WHEN chunk.claims_cut THEN ['list of claims cut off'] ELSE [] END AS reason
RETURN reason, count(*) AS n ORDER BY n DESC, reason
