// Saves the vectors of names and of what is said about them, where that has changed.
UNWIND $rows AS row
CALL (row) {
  MATCH (x:Entity {id: row.id}) RETURN x
  UNION
  MATCH (x:Spelling {id: row.id}) RETURN x
}
WITH x, row WHERE x.name_vector_of IS NULL OR x.name_vector_of <> row.of
SET x.name_vector_of = row.of
WITH x, row
CALL db.create.setNodeVectorProperty(x, 'name_vector', row.vector)
