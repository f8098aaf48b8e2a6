// Reads a page of communities with their reports and their place in the tree.
MATCH (community:Community:KgBuild) WHERE community.id > $after
WITH community ORDER BY community.id LIMIT $limit
OPTIONAL MATCH (community)-[:PARENT]->(parent:Community:KgBuild)
RETURN community.id AS id,
  [toString(community.level), coalesce(parent.id, ''), coalesce(community.report, '')] AS content
ORDER BY id
