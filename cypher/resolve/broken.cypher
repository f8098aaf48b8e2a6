// Reads the decisions of people that the groups of spellings break.
MATCH (one:Spelling:KgBuild)-[compared:COMPARED {origin: 'person'}]->(other:Spelling)
WHERE (compared.verdict = 'same') <> (one.entity = other.entity)
RETURN one.name AS one, other.name AS other, compared.verdict AS verdict
ORDER BY compared.ref
