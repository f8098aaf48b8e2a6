// Claims of one type about one subject that differ in their status, object or date.
MATCH (subject:Entity)<-[:SUBJECT]-(claim:Claim)-[:FROM]->(:Chunk)-[:PART_OF]->(document:Document)
OPTIONAL MATCH (claim)-[:OBJECT]->(entity:Entity)
WITH subject, claim, document, coalesce(entity.name, claim.object_text) AS object
ORDER BY claim.status, claim.start_date, object, claim.ref
WITH subject, claim.type AS type, collect([claim, object, document.name]) AS claims,
     count(DISTINCT claim.status) AS statuses, count(DISTINCT object) AS objects,
     count(DISTINCT claim.start_date) AS dates
WHERE statuses > 1 OR objects > 1 OR dates > 1
UNWIND claims AS row
WITH subject, type, statuses, claims, row[0] AS claim, row[1] AS object, row[2] AS document
RETURN subject.name AS of, type, claim.status AS status, object, claim.start_date AS since,
       claim.description AS said, document
ORDER BY statuses DESC, size(claims) DESC, of, type LIMIT 300
