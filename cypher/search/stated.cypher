// Reads what chunks state with these predicates of entities, in the direction that the chunk gives; that
// of the relationships with most statements first. $documents are the ids of the documents that count,
// null for all.
MATCH (entity:Entity:KgBuild)-[stated:STATED]-(:Entity:KgBuild)
WHERE entity.id IN $ids AND any(one IN stated.predicates WHERE toLower(one) IN $predicates)
MATCH (chunk:Chunk {id: stated.chunk}) WHERE $documents IS NULL OR chunk.document IN $documents
MATCH ()-[pair:RELATED {id: stated.pair}]->()
WITH DISTINCT stated, pair, chunk.id AS chunk, startNode(stated) AS source, endNode(stated) AS target
UNWIND range(0, size(stated.predicates) - 1) AS i
WITH stated, pair, chunk, source, target, i WHERE toLower(stated.predicates[i]) IN $predicates
ORDER BY chunk, i
WITH pair, source, target, collect(DISTINCT stated.descriptions[i]) AS texts,
     collect(stated.predicates[i])[0] AS predicate
RETURN pair.id AS id, pair.ref AS ref, source.id AS source, target.id AS target, source.name AS subject,
       target.name AS object, source.type AS subject_type, target.type AS object_type, predicate, texts
ORDER BY pair.weight DESC, subject, object, id, source
