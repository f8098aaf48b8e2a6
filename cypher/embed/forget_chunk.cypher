// Removes the vectors of a page of chunks in the order of their ids, and marks these.
MATCH (x:Chunk:KgBuild) WHERE x.id > $after AND x.text IS NOT NULL
WITH x ORDER BY x.id LIMIT $limit
SET x.unembedded = true
REMOVE x.embedding, x.embedding_hash, x.embedding_error, x.embedding_flaw
RETURN x.id AS id ORDER BY id
