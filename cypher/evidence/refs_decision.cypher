// Reserves refs for those of these decisions that the graph does not hold yet, in their order.
UNWIND $ids AS id
OPTIONAL MATCH ()-[known:COMPARED {id: id}]->()
WITH id, known WHERE known IS NULL
WITH collect(id) AS missing
MERGE (counter:Counter:KgBuild {id: 'refs'})
WITH counter, missing, coalesce(counter.decision, 0) AS before
SET counter.decision = before + size(missing)
RETURN missing, before
