// Reads a page of marked communities in the order of their ids, with the texts to embed.
MATCH (x:Community:KgBuild) WHERE x.unembedded = true AND x.id > $after
RETURN x.id AS id, x.embedding_hash AS hash,
       CASE WHEN x.embedding IS NULL THEN x.embedding_error END AS error,
       x.report AS text
ORDER BY x.unembedded, x.id LIMIT $limit
