// Saves why the names of entities could not be compared; without a reason, they wait no longer.
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
SET entity.uncompared = CASE WHEN row.reason IS NOT NULL THEN true END,
    entity.compare_error = row.reason
