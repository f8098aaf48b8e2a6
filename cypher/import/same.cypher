// Tells whether a database is the one to which this build writes.
RETURN EXISTS { MATCH (:Build:KgBuild {id: $build}) } AS found
