// Ends a build and frees its lease.
MATCH (build:Build {id: $build}) WHERE build.outcome IS NULL
SET build += $usage, build.outcome = $outcome, build.finished = datetime()
