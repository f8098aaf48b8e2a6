// How many chunks name something.
MATCH (chunk:Chunk) WHERE EXISTS { (chunk)-[:MENTIONS]->() }
RETURN count(chunk) AS n
