// Reads the spellings that have been decided about and that belong to these ids: the spellings
// themselves, and those whose evidence the entities hold.
UNWIND $ids AS id
MATCH (spelling:Spelling:KgBuild) WHERE spelling.id = id OR spelling.entity = id
RETURN DISTINCT spelling.id AS id, spelling.entity AS entity, spelling.name AS name,
       spelling.type AS type, spelling.n AS n
