// Counts the nodes that are marked to be embedded.
// `id > ''` is always true; the index holds both properties, so it serves only a search by both.
RETURN COUNT { MATCH (x:Entity:KgBuild) WHERE x.unembedded = true AND x.id > '' }
     + COUNT { MATCH (x:Chunk:KgBuild) WHERE x.unembedded = true AND x.id > '' }
     + COUNT { MATCH (x:Community:KgBuild) WHERE x.unembedded = true AND x.id > '' } AS n
