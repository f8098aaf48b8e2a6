// Counts the functions that tell the version of Graph Data Science: none if it is not installed.
SHOW FUNCTIONS YIELD name
WHERE name = 'gds.version'
RETURN count(*) AS n
