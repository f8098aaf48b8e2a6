// Reads the sources of files that have, or had, the name of another file in another folder.
MATCH (document:Document:KgBuild)
WITH split(document.source, '#')[0] AS file, collect(DISTINCT document.name) AS names
WITH split(file, '/')[-1] AS name, collect(file) AS files,
     any(names IN collect(names) WHERE any(one IN names WHERE one CONTAINS '/')) AS told
WHERE size(files) > 1 OR told
RETURN files ORDER BY files
