// Reads the pairs of names that a chunk writes as "X (Y)", one of them a name of $entities, with the
// entity of the other one. Both may be names of one entity, once they are joined.
UNWIND $entities AS id
MATCH (:Entity {id: id})<-[mention:MENTIONS]-(chunk:Chunk:KgBuild) WHERE chunk.text CONTAINS '('
MATCH (chunk)-[beside:MENTIONS]->(other:Entity:KgBuild)
UNWIND mention.names AS name
UNWIND beside.names AS alias
WITH chunk, name, alias, other.id AS entity
WHERE name <> alias
  AND (chunk.text CONTAINS name + ' (' + alias + ')' OR chunk.text CONTAINS alias + ' (' + name + ')')
RETURN DISTINCT name, alias, entity ORDER BY name, alias, entity
