// Removes statements that move; marks their pairs, and the entities at their ends.
UNWIND $ids AS id
MATCH (a:Entity)-[stated:STATED {id: id}]->(b:Entity)
OPTIONAL MATCH ()-[pair:RELATED {id: stated.pair}]->()
SET pair.stale = true, a.stale = true, b.stale = true
DELETE stated
