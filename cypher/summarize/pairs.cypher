// Reads a page of marked pairs in the order of their ids, with the descriptions of
// their chunks, the documents and dates of these, and their places.
MATCH (a:Entity:KgBuild)-[pair:RELATED]->(b:Entity:KgBuild) WHERE pair.undescribed = true AND pair.id > $after
WITH a, b, pair ORDER BY pair.undescribed, pair.id LIMIT $limit
RETURN pair.id AS id, a.name + ' and ' + b.name AS name, pair.description AS description,
  pair.description_hash AS hash,
  pair.groups AS groups, pair.group_texts AS group_texts,
  COLLECT {
    MATCH ()-[stated:STATED {pair: pair.id}]->()
    OPTIONAL MATCH (chunk:Chunk {id: stated.chunk})-[:PART_OF]->(document:Document:KgBuild)
    UNWIND stated.descriptions AS text
    RETURN DISTINCT [text, coalesce(document.id, ''), coalesce(toString(document['meta_date']), ''),
                     coalesce(chunk.index, 0)]
  } AS descriptions
ORDER BY id
