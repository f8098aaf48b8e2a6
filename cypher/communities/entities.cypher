// Reads a page of all entities, each with its leaf community, its weighted degree when it was placed there,
// and its mark.
MATCH (entity:Entity:KgBuild) WHERE entity.id > $after
WITH entity ORDER BY entity.id LIMIT $size
OPTIONAL MATCH (entity)-[:IN_COMMUNITY]->(leaf:Community:KgBuild)
RETURN entity.id AS id, leaf.id AS leaf, entity.placed_weight AS placed, entity.unplaced AS unplaced
