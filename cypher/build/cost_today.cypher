// Reads what the builds cost that were at work today (UTC), in US dollars, without those that the
// meter $meter counts itself.
MATCH (build:Build:KgBuild)
WHERE build.renewed >= datetime.truncate('day', datetime({timezone: 'UTC'})).epochMillis
  AND coalesce(build.meter, '') <> $meter
RETURN sum(coalesce(build.cost, 0.0)) AS cost
