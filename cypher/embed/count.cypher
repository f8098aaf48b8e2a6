// Counts the nodes that are marked to be embedded.
RETURN COUNT { MATCH (x:Entity) WHERE x.unembedded = true }
     + COUNT { MATCH (x:Chunk) WHERE x.unembedded = true }
     + COUNT { MATCH (x:Community) WHERE x.unembedded = true } AS n
