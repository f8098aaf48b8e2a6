// Communities whose parent is another one now.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
OPTIONAL MATCH (community)-[old:PARENT]->()
DELETE old
WITH community, row WHERE row.parent IS NOT NULL
MATCH (parent:Community {id: row.parent})
CREATE (community)-[:PARENT]->(parent)
