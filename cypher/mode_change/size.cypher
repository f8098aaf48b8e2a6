// Counts the chunks of the graph and their tokens.
MATCH (chunk:Chunk:KgBuild) RETURN count(chunk) AS chunks, coalesce(sum(chunk.n_tokens), 0) AS tokens
