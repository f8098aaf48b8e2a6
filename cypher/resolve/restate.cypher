// Moves statements to other ends; marks the pairs and the entities that they leave.
// The spellings are kept where they are not the entities' own. A statement between two spellings of
// one entity has no pair.
UNWIND $rows AS row
MATCH (a:Entity:KgBuild)-[old:STATED {id: row.id}]->(b:Entity:KgBuild)
MATCH (source:Entity {id: row.source}), (target:Entity {id: row.target})
OPTIONAL MATCH ()-[pair:RELATED {id: old.pair}]->()
SET pair.stale = true, a.stale = true, b.stale = true
WITH old, source, target,
     old {.*, id: row.new, pair: row.pair, source_spelling: row.source_spelling,
          target_spelling: row.target_spelling} AS held
DELETE old
CREATE (source)-[stated:STATED]->(target)
SET stated = held
