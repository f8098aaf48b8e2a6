// Writes communities; existing ones keep their other properties.
UNWIND $rows AS row
MERGE (community:Community {id: row.id})
  ON CREATE SET community.ref = row.ref, community.stale = true
SET community.level = row.level, community.size = row.size
