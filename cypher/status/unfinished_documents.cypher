// Reads the documents of which some chunks are missing, or are still to be removed.
MATCH (document:Document:KgBuild) WHERE document.content_hash = $content_hash
RETURN document.source AS name,
       'a run writes or deletes it, or was interrupted: repeat the command of that run' AS reason
ORDER BY name
