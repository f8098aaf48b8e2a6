// Reads the nodes whose vector can't be indexed, with the reasons.
MATCH (x:Entity:KgBuild) WHERE x.embedding_flaw IS NOT NULL
RETURN 'embed' AS stage, x.name AS what, x.embedding_flaw AS reason
UNION ALL
MATCH (x:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild) WHERE x.embedding_flaw IS NOT NULL
RETURN 'embed' AS stage, 'chunk ' + x.index + ' of ' + document.source AS what,
       x.embedding_flaw AS reason
UNION ALL
MATCH (x:Community:KgBuild) WHERE x.embedding_flaw IS NOT NULL
RETURN 'embed' AS stage, coalesce(x.title, 'community ' + x.ref) AS what,
       x.embedding_flaw AS reason
