// Communities for whose text no vector came, and why; the mark stays.
UNWIND $rows AS row
MATCH (x:Community {id: row.id})
SET x.embedding_error = row.reason
