// Reads between which spellings the statements about entities are, each with the entities that hold
// them. Of an entity of one spelling with more than $most neighbours, only this is told.
UNWIND $entities AS id
MATCH (entity:Entity {id: id})
WITH entity, coalesce(entity.degree, 0) > $most AND entity.aliases IS NULL AS many
OPTIONAL MATCH (entity)-[stated:STATED]-() WHERE NOT many
WITH DISTINCT entity, many, startNode(stated).id AS a, endNode(stated).id AS b,
     stated.source_spelling AS source, stated.target_spelling AS target
RETURN entity.id AS entity, many,
       collect(CASE WHEN a IS NOT NULL THEN [coalesce(source, a), coalesce(target, b), a, b] END)
         AS statements
