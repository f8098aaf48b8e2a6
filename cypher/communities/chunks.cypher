// Counts the chunks that mention an entity, and all documents.
MATCH (chunk:Chunk) WHERE EXISTS { (chunk)-[:MENTIONS]->() }
RETURN count(chunk) AS n, COUNT { (:Document) } AS documents
