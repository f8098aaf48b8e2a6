// Counts the chunks and their tokens, for the estimate of what answers cost.
MATCH (chunk:Chunk:KgBuild)
RETURN count(chunk) AS chunks, coalesce(sum(chunk.n_tokens), 0) AS tokens
