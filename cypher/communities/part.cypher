// Moves communities to another parent, and marks the old and the new parent for new reports.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
OPTIONAL MATCH (community)-[old:PARENT]->(former:Community:KgBuild)
SET former.stale = true
DELETE old
WITH community, row WHERE row.parent IS NOT NULL
MATCH (parent:Community {id: row.parent})
SET parent.stale = true
CREATE (community)-[:PARENT]->(parent)
