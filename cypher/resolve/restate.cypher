// Moves statements to other ends; marks the pairs and the entities that they leave.
// The spellings are kept where they are not the entities' own. A statement between two spellings of
// one entity has no pair.
UNWIND $rows AS row
MATCH (a:Entity:KgBuild)-[old:STATED {id: row.id}]->(b:Entity:KgBuild)
MATCH (source:Entity {id: row.source}), (target:Entity {id: row.target})
OPTIONAL MATCH ()-[pair:RELATED {id: old.pair}]->()
SET pair.stale = true, a.stale = true, b.stale = true
WITH row, old, source, target, old.chunk AS chunk, old.descriptions AS descriptions,
     old.strengths AS strengths, old.predicates AS predicates
DELETE old
CREATE (source)-[stated:STATED {id: row.new}]->(target)
SET stated.chunk = chunk, stated.pair = row.pair,
    stated.descriptions = descriptions, stated.strengths = strengths,
    stated.predicates = predicates,
    stated.source_spelling = row.source_spelling, stated.target_spelling = row.target_spelling
