// Finds documents whose titles or sources hold all words, each with the ref of its first chunk.
MATCH (document:Document:KgBuild)<-[:PART_OF]-(chunk:Chunk {index: 0})
WHERE all(word IN $words WHERE toLower(document.title + ' ' + document.source) CONTAINS word)
RETURN chunk.ref AS ref, document.title AS title ORDER BY title, ref LIMIT $limit
