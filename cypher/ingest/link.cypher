// Links each chunk to the next chunk of its document.
UNWIND $pairs AS pair
MATCH (chunk:Chunk {id: pair[0]}), (next:Chunk {id: pair[1]})
CREATE (chunk)-[:NEXT]->(next)
