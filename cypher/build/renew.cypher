// Renews a build's lease and keeps what it has used so far.
MATCH (build:Build {id: $build}) WHERE build.outcome IS NULL
SET build += $usage, build.renewed = timestamp()
RETURN build.id AS id
