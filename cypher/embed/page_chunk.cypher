// Reads a page of marked chunks in the order of their ids, with the texts to embed. The header of a
// long chunk stands twice: beside hundreds of words, one name would hardly move a vector.
MATCH (x:Chunk:KgBuild) WHERE x.unembedded = true AND x.id > $after
RETURN x.id AS id, x.embedding_hash AS hash,
       CASE WHEN x.embedding IS NULL THEN x.embedding_error END AS error,
       CASE WHEN x.header IS NULL THEN '' WHEN x.n_tokens > 256 THEN x.header + '\n' ELSE '' END
       + coalesce(x.header + '\n\n', '') + x.text AS text
ORDER BY x.unembedded, x.id LIMIT $limit
