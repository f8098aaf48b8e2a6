// Reads the nodes that could not be embedded, with the reasons.
// `id > ''` is always true; the index holds both properties, so it serves only a search by both.
MATCH (x:Entity:KgBuild) WHERE x.unembedded = true AND x.id > '' AND x.embedding_error IS NOT NULL
RETURN x.name AS name, x.embedding_error AS reason
UNION ALL
MATCH (x:Chunk:KgBuild) WHERE x.unembedded = true AND x.id > '' AND x.embedding_error IS NOT NULL
MATCH (x)-[:PART_OF]->(document:Document)
RETURN 'chunk ' + x.index + ' of ' + document.source AS name, x.embedding_error AS reason
UNION ALL
MATCH (x:Community:KgBuild) WHERE x.unembedded = true AND x.id > '' AND x.embedding_error IS NOT NULL
RETURN coalesce(x.title, 'community ' + x.ref) AS name, x.embedding_error AS reason
