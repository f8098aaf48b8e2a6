// Marks communities whose report was made with another prompt or model, or from elements although
// the community is too large for that, or by a model although it is small enough.
MATCH (community:Community:KgBuild)
WHERE community.report_with <>
  CASE WHEN community.size <= $smallest THEN 'elements' ELSE $signature END
SET community.stale = true
