// Saves decisions about pairs of spellings; with $mark, marks these for the stage resolve.
UNWIND $rows AS row
MATCH (one:Spelling {id: row.one}), (other:Spelling {id: row.other})
MERGE (one)-[compared:COMPARED {id: row.id}]->(other)
  ON CREATE SET compared.ref = row.ref
SET compared += row.properties
FOREACH (end IN CASE WHEN $mark THEN [one, other] ELSE [] END | SET end.unresolved = true)
