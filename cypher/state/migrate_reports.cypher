// Renames the signatures of reports that were made without a model from "offline".
// The hash of a report's context holds the signature, so the next build writes it once more.
MATCH (community:Community) WHERE community.report_with STARTS WITH 'offline '
SET community.report_with = 'extractive ' + substring(community.report_with, size('offline ')),
    community.stale = true
