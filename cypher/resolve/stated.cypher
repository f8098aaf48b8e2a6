// Reads the statements about entities, with the spellings that they come from.
UNWIND $entities AS id
MATCH (:Entity {id: id})-[stated:STATED]-(:KgBuild)
WITH DISTINCT stated
RETURN stated.id AS id, stated.chunk AS chunk, startNode(stated).id AS source,
       endNode(stated).id AS target, stated.pair AS pair,
       stated.source_spelling AS source_spelling, stated.target_spelling AS target_spelling
