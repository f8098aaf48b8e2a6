// Reads the builds without an outcome, without a lock.
MATCH (build:Build:KgBuild) WHERE build.outcome IS NULL
RETURN build.id AS id, build.host AS host, build.process AS process, build.born AS born,
       build.command AS command, (timestamp() - build.renewed) / 1000.0 AS age
