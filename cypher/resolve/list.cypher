// Reads all decisions about names, the newest first, and whether both names are one entity.
MATCH (one:Spelling:KgBuild)-[compared:COMPARED]->(other:Spelling:KgBuild)
RETURN compared.ref AS ref, compared.verdict AS verdict, one.name AS one, other.name AS other,
       compared.origin AS origin, compared.reason AS reason, one.entity = other.entity AS together
ORDER BY ref DESC
