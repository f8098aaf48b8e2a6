// Reads a page of marked entities in the order of their ids, with the descriptions of
// their chunks, the documents and dates of these, and their places.
MATCH (entity:Entity:KgBuild) WHERE entity.undescribed = true AND entity.id > $after
WITH entity ORDER BY entity.undescribed, entity.id LIMIT $limit
RETURN entity.id AS id, entity.name AS name, entity.description AS description,
  entity.description_hash AS hash,
  entity.groups AS groups, entity.group_texts AS group_texts,
  COLLECT {
    MATCH (entity)<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)
    OPTIONAL MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild)
    UNWIND mention.descriptions AS text
    RETURN DISTINCT [text, coalesce(document.id, ''), coalesce(toString(document['meta_date']), ''), chunk.index]
  } AS descriptions
ORDER BY id
