// Reads what tells whether documents have changed; `since` is the start (seconds since 1970) of the
// last build that came to its end.
OPTIONAL MATCH (build:Build:KgBuild) WHERE build.finished IS NOT NULL
WITH max(build.started) AS last
UNWIND $ids AS id
MATCH (document:Document {id: id})
RETURN document.id AS id, document.content_hash AS content_hash, document.cut_with AS cut_with,
       document.metadata AS metadata, document.title AS title,
       document.places_hash AS places_hash, document.id_header AS id_header,
       document.id_document AS id_document, document.copy_hash AS copy_hash,
       EXISTS { (document)-[:COPY_OF]->(:KgBuild) } AS is_copy,
       document.file_hash AS file_hash, coalesce(document.reader, 1) AS reader,
       coalesce(last.epochSeconds, 0) AS since
