// Reads all entities, each with the leaf community that it is in now.
MATCH (entity:Entity)
OPTIONAL MATCH (entity)-[:IN_COMMUNITY]->(leaf:Community)
RETURN entity.id AS id, leaf.id AS leaf
