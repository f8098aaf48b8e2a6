// Reads chunks by id.
MATCH (chunk:Chunk:KgBuild) WHERE chunk.id IN $ids
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text, chunk.header AS header,
       chunk.speaker AS speaker
