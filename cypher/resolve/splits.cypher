// Reads the splits of names, the oldest first.
MATCH (:Spelling:KgBuild)-[compared:COMPARED {origin: 'person'}]->(:Spelling:KgBuild)
WHERE compared.split_name IS NOT NULL
RETURN compared.ref AS ref, compared.split_name AS name, compared.split_label AS label,
       compared.split_types AS types, compared.split_documents AS documents
ORDER BY ref
