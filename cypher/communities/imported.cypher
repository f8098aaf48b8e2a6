// Marks all imported reports to be written again.
MATCH (community:Community:KgBuild) WHERE community.origin = 'import'
SET community.stale = true
