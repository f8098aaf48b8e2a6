// Marks the communities whose report was made otherwise: by another prompt or model, or without
// one though they are too large for that, or the other way round.
MATCH (community:Community)
WHERE community.report_with <>
  CASE WHEN community.size <= $smallest THEN 'elements' ELSE $signature END
SET community.stale = true
