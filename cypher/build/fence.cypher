// Checks whether a build still holds the lease; locks the Counter, so that no other run takes over
// before this transaction has ended.
MERGE (counter:Counter:KgBuild {id: 'refs'})
SET counter.id = 'refs'
WITH counter
MATCH (build:Build {id: $build}) WHERE build.outcome IS NULL
RETURN build.id AS id
