// Reserves refs for those of these entities that the graph does not hold yet, in their order.
UNWIND $ids AS id
OPTIONAL MATCH (known:Entity {id: id})
WITH id, known WHERE known IS NULL
WITH collect(id) AS missing
MERGE (counter:Counter:KgBuild {id: 'refs'})
WITH counter, missing, coalesce(counter.entity, 0) AS before
SET counter.entity = before + size(missing)
RETURN missing, before
