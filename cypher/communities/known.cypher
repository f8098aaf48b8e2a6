// Reads the existing communities, each with its parent.
MATCH (community:Community)
OPTIONAL MATCH (community)-[:PARENT]->(parent:Community)
RETURN community.id AS id, community.level AS level, parent.id AS parent
