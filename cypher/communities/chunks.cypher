// Counts the chunks that mention an entity.
MATCH (chunk:Chunk) WHERE EXISTS { (chunk)-[:MENTIONS]->() }
RETURN count(chunk) AS n
