// Ends a build and frees its lease; no row if another run has taken it over.
MATCH (build:Build {id: $build}) WHERE build.outcome IS NULL
SET build += $usage, build.outcome = $outcome, build.finished = datetime()
RETURN build.id AS id
