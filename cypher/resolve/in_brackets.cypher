// Reads the pairs of names that a chunk writes as "X (Y)", one of them a name of $entities, with the
// entity of the other one.
UNWIND $entities AS id
MATCH (:Entity {id: id})<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)-[beside:MENTIONS]->(other:Entity:KgBuild)
WHERE other.id <> id AND chunk.text CONTAINS '('
UNWIND mention.names AS name
UNWIND beside.names AS alias
WITH chunk, name, alias, other.id AS entity
WHERE chunk.text CONTAINS name + ' (' + alias + ')' OR chunk.text CONTAINS alias + ' (' + name + ')'
RETURN DISTINCT name, alias, entity ORDER BY name, alias, entity
