// Removes decisions; with $mark, marks their spellings for the stage resolve.
UNWIND $ids AS id
MATCH (one)-[compared:COMPARED {id: id}]->(other)
FOREACH (end IN CASE WHEN $mark THEN [one, other] ELSE [] END | SET end.unresolved = true)
DELETE compared
