// Each chunk knows the next one of its document.
UNWIND $pairs AS pair
MATCH (chunk:Chunk {id: pair[0]}), (next:Chunk {id: pair[1]})
CREATE (chunk)-[:NEXT]->(next)
