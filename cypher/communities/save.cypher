// Writes communities; existing ones keep their other properties. Marks the changed ones.
UNWIND $rows AS row
MERGE (community:Community {id: row.id})
  ON CREATE SET community.ref = row.ref, community.stale = true
SET community.level = row.level, community.size = row.size,
    community.unchecked = CASE WHEN row.unchecked > 0 THEN row.unchecked END,
    community.stale = CASE WHEN row.changed THEN true ELSE community.stale END
