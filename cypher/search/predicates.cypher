// Reads the predicates of entities in lower case, with the types of what they lead to or come from.
MATCH (entity:Entity:KgBuild) WHERE entity.id IN $ids
MATCH (entity)-[stated:STATED]-(other:Entity:KgBuild)
UNWIND stated.predicates AS predicate
RETURN toLower(predicate) AS predicate, collect(DISTINCT toLower(other.type)) AS types ORDER BY predicate
