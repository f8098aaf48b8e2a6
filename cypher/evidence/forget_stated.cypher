// Removes the statements of chunks; marks the pairs and their ends, and returns the pairs' ids.
// A statement between two spellings of one entity has no pair.
UNWIND $chunks AS chunk
MATCH (a:Entity:KgBuild)-[stated:STATED {chunk: chunk}]->(b:Entity:KgBuild)
OPTIONAL MATCH ()-[pair:RELATED {id: stated.pair}]->()
SET pair.stale = true, a.stale = true, b.stale = true
DELETE stated
RETURN collect(DISTINCT pair.id) AS ids
