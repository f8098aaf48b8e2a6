// How many chunks were read with other settings.
MATCH (chunk:Chunk)
WHERE chunk.extraction = 'done' AND chunk.extraction_with <> $extraction
   OR $with_claims AND chunk.claims = 'done' AND chunk.claims_with <> $claims
RETURN count(chunk) AS n
