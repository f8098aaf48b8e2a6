// Counts the citations in reports, the removed citations, and the shortened sub-reports.
OPTIONAL MATCH (community:Community:KgBuild)
WITH sum(community.invented) AS invented, sum(community.shortened) AS shortened
RETURN COUNT { ()-[:CITES]->() } AS citations, invented, shortened
