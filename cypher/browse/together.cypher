// The chunks that mention members of both of two communities.
MATCH (:Community {ref: $community})<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(entity:Entity)
MATCH (entity)<-[:MENTIONS]-(chunk:Chunk)
WITH chunk, collect(DISTINCT entity.name) AS ours
MATCH (chunk)-[:MENTIONS]->(other:Entity)
WHERE EXISTS { (other)-[:IN_COMMUNITY]->()-[:PARENT*0..]->(:Community {ref: $other}) }
WITH chunk, ours, collect(DISTINCT other.name) AS theirs
MATCH (chunk)-[:PART_OF]->(document:Document)
RETURN document.name AS document, coalesce(chunk.parts[0], 'line ' + chunk.line) AS place, ours, theirs, chunk.text AS text
ORDER BY size(ours) * size(theirs) DESC, chunk.ref LIMIT 25
