// Reads between which spellings the statements about entities are. Of an entity of one spelling with
// more than $most neighbours, only this is told.
UNWIND $entities AS id
MATCH (entity:Entity {id: id})
WITH entity, coalesce(entity.degree, 0) > $most AND entity.aliases IS NULL AS many
OPTIONAL MATCH (entity)-[stated:STATED]-() WHERE NOT many
RETURN DISTINCT entity.id AS entity, many,
       coalesce(stated.source_spelling, startNode(stated).id) AS source,
       coalesce(stated.target_spelling, endNode(stated).id) AS target,
       startNode(stated).id AS source_holder, endNode(stated).id AS target_holder
