// Saves decisions about pairs of spellings.
UNWIND $rows AS row
MATCH (one:Spelling {id: row.one}), (other:Spelling {id: row.other})
MERGE (one)-[compared:COMPARED {id: row.id}]->(other)
  ON CREATE SET compared.ref = row.ref
SET compared.verdict = row.verdict, compared.origin = row.origin, compared.reason = row.reason,
    compared.block = row.block, compared.saw = row.saw
