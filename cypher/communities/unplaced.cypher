// Reads marked entities, each with its weighted degree now and when it was placed, and its community of
// level 0.
MATCH (entity:Entity:KgBuild) WHERE entity.unplaced = true
WITH entity LIMIT $limit
OPTIONAL MATCH (entity)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (top:Community:KgBuild)
WHERE top.level = 0
RETURN entity.id AS id, entity.placed_weight AS placed, top.id AS top,
       reduce(sum = 0.0, weight IN
         COLLECT { MATCH (entity)-[pair:RELATED]-(:Entity:KgBuild) RETURN pair.weight } | sum + weight) AS degree
