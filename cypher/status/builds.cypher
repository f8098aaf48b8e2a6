// Reads the last builds; a build whose lease is void has lost its process.
MATCH (build:Build:KgBuild)
RETURN build.id AS id, toString(build.started) AS started, toString(build.finished) AS finished,
       CASE WHEN build.outcome IS NOT NULL THEN build.outcome
            WHEN abs(timestamp() - build.renewed) > $void_after * 1000 THEN 'interrupted'
            ELSE 'running' END AS outcome,
       build.origin AS origin, build.release AS release,
       coalesce(build.calls, 0) AS calls,
       coalesce(build.input_tokens, 0) AS input_tokens,
       coalesce(build.cached_tokens, 0) AS cached_tokens,
       coalesce(build.output_tokens, 0) AS output_tokens, coalesce(build.cost, 0.0) AS cost,
       coalesce(build.unpriced, 0) AS unpriced
ORDER BY build.started DESC LIMIT $limit
