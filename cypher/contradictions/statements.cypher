// Reads a page of entities that several documents mention, with the chunks that do and the sources and
// dates of their documents. Of a hub only the chunks that the stage merge has listed are read. A page may
// have no such entity; `last` is the id of the last one that was looked at.
MATCH (entity:Entity:KgBuild) WHERE entity.id > $after
WITH entity ORDER BY entity.id LIMIT $limit
WITH collect(entity) AS page
RETURN page[-1].id AS last, COLLECT {
  UNWIND page AS entity
  WITH entity, COLLECT {
    CALL (entity) {
      WITH entity WHERE entity.top_chunks IS NULL
      MATCH (chunk:Chunk:KgBuild)-[:MENTIONS]->(entity)
      RETURN chunk
      UNION
      UNWIND entity.top_chunks AS id
      MATCH (chunk:Chunk {id: id})
      RETURN chunk
    }
    MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild)
    RETURN [chunk.id, document.source, toString(head([] + document.meta_date))] ORDER BY chunk.ref
  } AS places
  WHERE any(place IN places WHERE place[1] <> places[0][1])
  RETURN {names: [entity.name] + coalesce(entity.aliases, []), places: places} ORDER BY entity.id
} AS entities
