// Reads the communities whose report could not be written, with the reasons.
MATCH (community:Community:KgBuild) WHERE community.stale = true AND community.report_error IS NOT NULL
RETURN coalesce(community.title, 'community ' + community.ref) AS name,
       community.report_error AS reason
ORDER BY community.level, community.id
