// Lists the kinds of the values that documents have in a field, with one value of each kind.
MATCH (document:Document:KgBuild)
UNWIND [] + document[$key] AS value
WITH value, toString(value) AS text
WITH CASE WHEN toFloatOrNull(value) IS NOT NULL THEN 'number'
          WHEN text =~ $date THEN 'date'
          ELSE 'text' END AS kind, text
RETURN kind, min(text) AS example ORDER BY kind
