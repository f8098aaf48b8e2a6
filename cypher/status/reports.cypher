// What reports cite, what they cited that is not there, and how many sub-reports were shortened.
OPTIONAL MATCH (community:Community)
WITH sum(community.invented) AS invented, sum(community.shortened) AS shortened
RETURN COUNT { ()-[:CITES]->() } AS citations, invented, shortened
