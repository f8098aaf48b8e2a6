// Saves the weighted degrees that entities have when they are placed in their communities, and removes their marks.
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
SET entity.placed_weight = row.weight
REMOVE entity.unplaced
