// Reads the findings of the reports that were written or quoted. A report of origin "elements" lists
// the descriptions of its members, so there is nothing to judge.
MATCH (report:Community:KgBuild)-[:HAS_FINDING]->(finding:Finding:KgBuild)
WHERE report.origin <> 'elements'
RETURN report.id AS community, report.ref AS ref, report.level AS level, finding.id AS id,
       coalesce(report.title, '') AS title, finding.explanation AS text
ORDER BY level, ref, finding.index
