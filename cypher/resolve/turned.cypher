// Saves which of these spellings have many neighbours, and returns the ids of those of which that is
// new or no longer so.
UNWIND $rows AS row
CALL (row) {
  MATCH (x:Entity {id: row.id}) RETURN x
  UNION
  MATCH (x:Spelling {id: row.id}) RETURN x
}
WITH x, row WHERE coalesce(x.hub, false) <> row.hub
SET x.hub = CASE WHEN row.hub THEN true END
RETURN DISTINCT row.id AS id
