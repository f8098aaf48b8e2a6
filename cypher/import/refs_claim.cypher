// Gives claims the numbers that their rows had.
UNWIND $rows AS row
MATCH (x:Claim {id: row.id})
SET x.ref = row.ref
