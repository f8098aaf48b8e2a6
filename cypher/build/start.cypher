// Creates a build, which holds the lease from now on.
CREATE (build:Build:KgBuild {id: $build})
SET build += $properties, build.started = datetime(), build.renewed = timestamp()
