// Removes statements that move; marks their pairs, and the entities at their ends.
UNWIND $ids AS id
MATCH (a:Entity:KgBuild)-[stated:STATED {id: id}]->(b:Entity:KgBuild)
OPTIONAL MATCH ()-[pair:RELATED {id: stated.pair}]->()
SET pair.stale = true, a.stale = true, b.stale = true
DELETE stated
