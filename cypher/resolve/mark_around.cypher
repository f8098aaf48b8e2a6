// Marks the neighbours of entities that do not wait for a comparison yet, and returns their ids.
UNWIND $entities AS id
MATCH (:Entity {id: id})-[:STATED]-(other:Entity:KgBuild) WHERE other.uncompared IS NULL
WITH DISTINCT other
SET other.uncompared = true
RETURN other.id AS id
