// Reads all texts of all relationships, and whether the next index writes them again.
MATCH (start:KgBuild)-[tie]->(end:KgBuild)
WITH start, tie, end, [key IN keys(tie) WHERE tie[key] IS :: STRING
                       OR tie[key] IS :: LIST<STRING NOT NULL>] AS keys
WHERE size(keys) > 0
RETURN type(tie) AS kind,
       coalesce(start.name, start.id) + ' – ' + coalesce(end.name, end.id) AS name,
       coalesce(tie.stale, tie.undescribed, start.unresolved, end.unresolved, false) AS pending,
       reduce(texts = [], key IN keys | texts + tie[key]) AS texts
