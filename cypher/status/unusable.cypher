// Counts the unusable records of replies by reason.
MATCH (chunk:Chunk)
UNWIND coalesce(chunk.extraction_unusable, []) + coalesce(chunk.claims_unusable, []) AS reason
RETURN reason, count(*) AS n ORDER BY n DESC, reason
