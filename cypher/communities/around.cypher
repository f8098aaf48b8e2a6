// Reads the communities of level 0 of entities, each with the weighted degree of all its members when
// they were placed.
UNWIND $ids AS id
MATCH (entity:Entity {id: id})-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (top:Community:KgBuild)
WHERE top.level = 0
WITH top, collect(id) AS ids
RETURN top.id AS top, ids,
       reduce(sum = 0.0, weight IN COLLECT {
         MATCH (top) (()<-[:PARENT]-(:KgBuild))* (:KgBuild)<-[:IN_COMMUNITY]-(member:Entity:KgBuild)
         RETURN member.placed_weight
       } | sum + weight) AS degree
