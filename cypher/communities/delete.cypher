// Removes communities that are no more, with their findings; what they were a part of is marked.
UNWIND $ids AS id
MATCH (community:Community {id: id})
OPTIONAL MATCH (community)-[:PARENT]->(parent:Community)
SET parent.stale = true
WITH community
OPTIONAL MATCH (community)-[:HAS_FINDING]->(finding)
DETACH DELETE community, finding
