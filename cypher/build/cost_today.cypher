// Reads what the builds cost that were at work today (UTC), in US dollars.
MATCH (build:Build:KgBuild)
WHERE build.renewed >= datetime.truncate('day', datetime({timezone: 'UTC'})).epochMillis
RETURN sum(coalesce(build.cost, 0.0)) AS cost
