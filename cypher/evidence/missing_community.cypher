// Which of these communities the graph does not hold yet, in the order given.
UNWIND $ids AS id
OPTIONAL MATCH (known:Community {id: id})
WITH id, known WHERE known IS NULL
RETURN collect(id) AS ids
