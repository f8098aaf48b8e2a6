// Reads the weighted edges that start at entities, or end at them.
UNWIND $ids AS id
MATCH (entity:Entity {id: id})-[pair:RELATED]-(:Entity:KgBuild)
RETURN startNode(pair).id AS start, endNode(pair).id AS end, pair.weight AS weight
