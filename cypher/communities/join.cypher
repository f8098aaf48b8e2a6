// Moves entities to another leaf community.
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
OPTIONAL MATCH (entity)-[old:IN_COMMUNITY]->(:KgBuild)
DELETE old
WITH entity, row
MATCH (leaf:Community {id: row.leaf})
CREATE (entity)-[:IN_COMMUNITY]->(leaf)
