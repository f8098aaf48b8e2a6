// Moves the last given ref of one kind on by $n and gives the one before; locks the Counter.
MERGE (counter:Counter {id: 'refs'})
SET counter.id = 'refs'
WITH counter, coalesce(counter[$kind], 0) AS before
SET counter[$kind] = before + $n
RETURN before
