// Marks communities for a new report if more of the material of their report has changed than
// $tolerance allows.
MATCH (community:Community:KgBuild)
WHERE community.behind > $tolerance
SET community.stale = true
