// Reads all entities, each with its leaf community and its weighted degree when it was placed there;
// many of them in a row.
MATCH (entity:Entity)
OPTIONAL MATCH (entity)-[:IN_COMMUNITY]->(leaf:Community)
WITH left(entity.id, 2) AS page, [entity.id, leaf.id, entity.placed_weight] AS one
RETURN page, collect(one) AS entities
