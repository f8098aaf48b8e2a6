// Reads the communities with their reports and findings, the coarsest first.
MATCH (community:Community:KgBuild)
OPTIONAL MATCH (community)-[:PARENT]->(parent:Community:KgBuild)
RETURN community.ref AS ref, parent.ref AS parent, community.level AS level,
       community.size AS size, community.title AS title, community.summary AS summary,
       community.rating AS rating, community.rating_explanation AS why,
       community.origin AS origin,
       COLLECT { MATCH (community)-[:HAS_FINDING]->(finding:Finding:KgBuild)
                 RETURN [finding.summary, finding.explanation] ORDER BY finding.index
       } AS findings
ORDER BY level, size DESC, ref
