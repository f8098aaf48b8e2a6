// Marks all imported reports to be written again.
MATCH (community:Community) WHERE community.origin = 'import'
SET community.stale = true
