// The claims in the order of their dates.
MATCH (claim:Claim)-[:FROM]->(:Chunk)-[:PART_OF]->(document:Document)
WHERE claim.start_date IS NOT NULL
OPTIONAL MATCH (claim)-[:SUBJECT]->(subject:Entity)
RETURN claim.start_date AS since, claim.end_date AS until,
       coalesce(subject.name, claim.subject_text) AS of, claim.type AS type,
       claim.status AS status, claim.description AS said, document.name AS document
ORDER BY since, until, claim.ref LIMIT 300
