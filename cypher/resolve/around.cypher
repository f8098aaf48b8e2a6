// Reads the spellings that have been decided about and that belong to these ids: the spellings
// themselves, and those whose evidence the entities hold.
UNWIND $ids AS id
MATCH (x:Spelling:KgBuild) WHERE x.id = id OR x.entity = id
RETURN DISTINCT x.key AS key, x.id AS id, x.name AS name, x.type AS type, x.n AS n,
       coalesce(x.documents, 1) AS documents, x.entity AS entity, true AS decided
