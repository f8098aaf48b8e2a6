// Counts the reports that are behind their material, and reads the largest share that has changed.
MATCH (community:Community:KgBuild) WHERE community.behind > 0
RETURN count(*) AS reports, coalesce(max(community.behind), 0.0) AS largest
