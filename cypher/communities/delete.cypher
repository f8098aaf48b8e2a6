// Removes communities that no longer exist, with their findings, and marks their parents.
UNWIND $rows AS row
MATCH (community:Community {id: row.id})
OPTIONAL MATCH (community)-[:PARENT]->(parent:Community:KgBuild)
SET parent.stale = true
WITH community
OPTIONAL MATCH (community)-[:HAS_FINDING]->(finding:Finding:KgBuild)
DETACH DELETE community, finding
