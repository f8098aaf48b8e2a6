// Renews the lease of a build and saves its calls, tokens and cost so far.
MATCH (build:Build {id: $build}) WHERE build.outcome IS NULL
SET build += $usage, build.renewed = timestamp()
RETURN build.id AS id
