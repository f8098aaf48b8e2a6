// Reads how many documents there are, and the first and the last source outside of the folder $uploads.
MATCH (document:Document:KgBuild)
WITH document, CASE WHEN NOT document.source STARTS WITH $uploads THEN document.source END AS source
RETURN min(source) AS first, max(source) AS last, count(*) AS n
