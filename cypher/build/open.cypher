// Reads the builds without an outcome, with what tells whether their processes still run.
MATCH (build:Build:KgBuild) WHERE build.outcome IS NULL
RETURN build.id AS id, build.host AS host, build.process AS process,
       build.namespace AS namespace, coalesce(build.ticks, build.born) AS start,
       build.command AS command, coalesce(build.renewed_every, 10) AS every,
       build.renewed AS renewed, (timestamp() - build.renewed) / 1000.0 AS age
