// Removes communities that no longer exist, with their findings, and marks their parents.
UNWIND $ids AS id
MATCH (community:Community {id: id})
OPTIONAL MATCH (community)-[:PARENT]->(parent:Community)
SET parent.stale = true
WITH community
OPTIONAL MATCH (community)-[:HAS_FINDING]->(finding)
DETACH DELETE community, finding
