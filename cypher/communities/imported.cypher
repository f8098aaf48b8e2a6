// Reports that an import has brought are to be written again.
MATCH (community:Community) WHERE community.origin = 'import'
SET community.stale = true
