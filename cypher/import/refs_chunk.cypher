// Gives chunks the numbers that their rows had.
UNWIND $rows AS row
MATCH (x:Chunk {id: row.id})
SET x.ref = row.ref
