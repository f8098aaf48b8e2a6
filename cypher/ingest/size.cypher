// Counts the chunks of documents and their tokens.
MATCH (document:Document:KgBuild)<-[:PART_OF]-(chunk:Chunk:KgBuild) WHERE document.id IN $ids
RETURN count(chunk) AS chunks, coalesce(sum(chunk.n_tokens), 0) AS tokens
