// Counts the documents of each year, as far as they are dated.
MATCH (document:Document:KgBuild)
WITH left(toStringOrNull(document.meta_date), 4) AS year WHERE year =~ '\\d{4}'
RETURN year, count(*) AS n
