// Saves decisions about pairs of spellings; with $mark, marks these for the stage resolve.
UNWIND $rows AS row
MATCH (one:Spelling {id: row.one}), (other:Spelling {id: row.other})
MERGE (one)-[compared:COMPARED {id: row.id}]->(other)
  ON CREATE SET compared.ref = row.ref
SET compared.verdict = row.verdict, compared.origin = row.origin, compared.reason = row.reason,
    compared.block = row.block, compared.saw = row.saw, compared += row.more
FOREACH (end IN CASE WHEN $mark THEN [one, other] ELSE [] END | SET end.unresolved = true)
