// Reads spellings by their ids, decided or not.
UNWIND $ids AS id
OPTIONAL MATCH (spelling:Spelling {id: id})
OPTIONAL MATCH (entity:Entity {id: id})
WITH id, spelling, entity WHERE coalesce(spelling.n, CASE WHEN entity IS NULL THEN 0 ELSE 1 END) > 0
RETURN id AS key, id, coalesce(spelling.name, entity.name) AS name,
       CASE WHEN spelling IS NULL THEN entity.type ELSE spelling.type END AS type,
       coalesce(spelling.n, 1) AS n, spelling.entity AS entity, spelling IS NOT NULL AS decided
ORDER BY id
