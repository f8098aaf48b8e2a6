// Ends a build; its lease is free.
MATCH (build:Build {id: $build}) WHERE build.outcome IS NULL
SET build += $usage, build.outcome = $outcome, build.finished = datetime()
