// Counts the chunks that mention an entity, and all documents.
MATCH (chunk:Chunk) WHERE EXISTS { (chunk)-[:MENTIONS]->() }
WITH count(chunk) AS n
RETURN n, COUNT { (:Document) } AS documents
