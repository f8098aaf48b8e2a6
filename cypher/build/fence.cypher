// Whether a build still holds the lease.
MATCH (build:Build {id: $build}) WHERE build.outcome IS NULL
RETURN build.id AS id
