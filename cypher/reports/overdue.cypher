// Marks communities for a new report if more of the material of their report has changed than
// $drift allows.
MATCH (community:Community:KgBuild)
WHERE community.behind > $drift
SET community.stale = true
