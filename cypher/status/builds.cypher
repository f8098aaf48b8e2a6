// The last builds.
MATCH (build:Build)
RETURN build.id AS id, toString(build.started) AS started, toString(build.finished) AS finished,
       coalesce(build.outcome, 'running') AS outcome, coalesce(build.calls, 0) AS calls,
       coalesce(build.input_tokens, 0) AS input_tokens,
       coalesce(build.output_tokens, 0) AS output_tokens, coalesce(build.cost, 0.0) AS cost,
       coalesce(build.unpriced, 0) AS unpriced
ORDER BY build.started DESC LIMIT $limit
