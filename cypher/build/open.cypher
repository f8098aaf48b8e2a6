// Reads the builds without an outcome; locks the Counter, so that only one run at a time looks.
MERGE (counter:Counter:KgBuild {id: 'refs'})
SET counter.id = 'refs'
WITH counter
MATCH (build:Build:KgBuild) WHERE build.outcome IS NULL
RETURN build.id AS id, build.host AS host, build.process AS process, build.born AS born,
       build.command AS command, (timestamp() - build.renewed) / 1000.0 AS age
