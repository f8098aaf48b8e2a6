// Counts the unusable records of replies by reason. Unread texts are one reason, with an example.
MATCH (chunk:Chunk:KgBuild)
UNWIND coalesce(chunk.extraction_unusable, []) + coalesce(chunk.claims_unusable, []) AS reason
WITH split(reason, ": '")[0] AS said, min(reason) AS example, count(*) AS n
RETURN said + CASE WHEN said = example THEN "" ELSE ", such as" + substring(example, size(said) + 1) END AS reason, n
ORDER BY n DESC, reason
