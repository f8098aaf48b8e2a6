// Reads how many documents there are, the first name and title of all, and the first and the last source
// outside of the folder $uploads.
MATCH (document:Document:KgBuild)
WITH document, CASE WHEN NOT document.source STARTS WITH $uploads + '/' THEN document.source END AS source
RETURN count(*) AS n, min(coalesce(document.name, document.source)) AS name, min(document.title) AS title,
       min(source) AS first, max(source) AS last
