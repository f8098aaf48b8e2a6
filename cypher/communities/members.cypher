// Reads the entities in leaf communities.
UNWIND $leaves AS id
MATCH (leaf:Community {id: id})<-[:IN_COMMUNITY]-(entity:Entity:KgBuild)
RETURN entity.id AS id, leaf.id AS leaf
