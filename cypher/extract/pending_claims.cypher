// Reads a page of chunks after ref $after with entities read and claims pending or failed ($state), and
// the names and types of these entities as the chunk gives them.
MATCH (chunk:Chunk:KgBuild)
WHERE chunk.claims = $state AND chunk.extraction = 'done' AND chunk.ref > $after
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text, chunk.header AS header, chunk.speaker AS speaker,
       chunk.claims_with IS NOT NULL AS again,
       COLLECT {
         MATCH (chunk)-[mention:MENTIONS]->(:Entity:KgBuild)
         UNWIND range(0, size(mention.names) - 1) AS i
         WITH DISTINCT mention.names[i] AS name, mention.types[i] AS type
         RETURN coalesce(name + ' | ' + type, name) AS entity ORDER BY entity
       } AS entities
ORDER BY chunk.claims, chunk.ref LIMIT $limit
