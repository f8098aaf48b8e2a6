// Gives entities the numbers that their rows had.
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
SET x.ref = row.ref
