// Reads a page of marked chunks in the order of their ids, with the texts to embed.
MATCH (x:Chunk:KgBuild) WHERE x.unembedded = true AND x.id > $after
WITH x ORDER BY x.unembedded, x.id LIMIT $limit
MATCH (x)-[:PART_OF]->(document:Document:KgBuild)
RETURN x.id AS id, x.embedding_hash AS hash,
       coalesce(document.header + '\n\n', '') + x.text AS text
ORDER BY id
