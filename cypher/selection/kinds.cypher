// Lists the kinds of the values that documents have in a field, with one value of each kind.
MATCH (document:Document:KgBuild)
UNWIND [] + document[$key] AS value
WITH toString(value) AS text
RETURN CASE WHEN text =~ $number THEN 'number' WHEN text =~ $date THEN 'date' ELSE 'text' END AS kind,
       min(text) AS example ORDER BY kind
