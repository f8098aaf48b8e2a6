// Counts the nodes that are marked to be embedded.
// `id > ''` is always true; the index holds both properties, so it serves only a search by both.
RETURN COUNT { MATCH (x:Entity) WHERE x.unembedded = true AND x.id > '' }
     + COUNT { MATCH (x:Chunk) WHERE x.unembedded = true AND x.id > '' }
     + COUNT { MATCH (x:Community) WHERE x.unembedded = true AND x.id > '' } AS n
