// Gives pairs the numbers that their rows had.
UNWIND $rows AS row
MATCH ()-[x:RELATED {id: row.id}]->()
SET x.ref = row.ref
