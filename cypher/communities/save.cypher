// Writes communities; those that stay keep all else that they have.
UNWIND $rows AS row
MERGE (community:Community {id: row.id})
  ON CREATE SET community.ref = row.ref, community.stale = true
SET community.level = row.level, community.size = row.size
